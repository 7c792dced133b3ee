"""A class of students to try the grader on: right, wrong, broken and hostile notebooks."""

from lab.programs import guard

guard(__name__)
