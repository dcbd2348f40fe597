"""Suites on disk."""
