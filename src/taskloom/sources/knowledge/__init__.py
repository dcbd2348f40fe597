"""Facts as a graph: queries, stores, and a fictional world."""
