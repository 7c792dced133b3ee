"""The text for students beside the points of a starred task."""

ON_TOP = "A bonus: these points come on top of the others, and nothing is missing without them."


def with_stars(text: str, stars: int) -> str:
    """Return a text on a function's points; if the task has stars, with a line that they are a bonus."""
    return f"{text}\n{'★' * stars} {ON_TOP}" if stars else text


def all_points(points: float) -> str:
    """Return the message of a check without lost points."""
    return f"All {points:g} points."
