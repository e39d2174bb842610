"""Training content models from gold standards: labels, folds, fitting, calibration, importance."""
