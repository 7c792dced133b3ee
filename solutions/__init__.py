"""One package per chapter: its attention written once, and the paper's full model around it."""

from lab.programs import guard

guard(__name__)
