"""Scorers, extractors, metrics and statistics: from an answer to a number with an interval."""
