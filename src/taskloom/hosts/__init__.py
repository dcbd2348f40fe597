"""Doors to the tools of others: datasets, trainers and harnesses take suites, and their logs come back as runs."""
