"""Analyses as plain functions: numbers in, estimates with intervals out. None of them runs a model."""
