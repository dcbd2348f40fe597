"""Speed and memory, as ratios to the reference implementations."""
