"""Studies of the superni family: statistics and baselines, unseen tasks, scaling, encodings, and its metric."""
