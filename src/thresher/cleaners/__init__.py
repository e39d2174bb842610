"""From a page to one number for each segment: scorers, their models, and the cleaners that cut on their scores."""
