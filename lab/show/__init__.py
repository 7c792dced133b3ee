"""Plots, attention tables and words with weights."""
