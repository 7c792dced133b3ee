"""Tests of the library that the chapters share."""
