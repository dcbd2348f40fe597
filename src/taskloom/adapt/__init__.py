"""Fitting models to tasks."""
