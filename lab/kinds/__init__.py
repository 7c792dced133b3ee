"""The kinds of tasks, a whole experiment each: translation, classification, language."""
