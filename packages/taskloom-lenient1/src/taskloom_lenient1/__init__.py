"""The first lenient reader of Taskloom, kept for the readings of old logs."""
