"""Answers to the exercises of the chapter, right and wrong."""
