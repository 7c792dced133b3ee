"""The command lines of the chapters: train, evaluate, translate, classify."""
