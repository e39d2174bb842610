"""Training of content models on gold standards: labels, folds, fitting, calibration, importance."""
