"""Tests of the taught functions and of the models made of them."""
