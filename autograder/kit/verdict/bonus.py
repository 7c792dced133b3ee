"""What students read beside the points of a starred task."""

ON_TOP = "A bonus: these points come on top of the others, and nothing is missing without them."


def with_stars(text: str, stars: int) -> str:
    """Return what is said of a function's points, with a line that they are a bonus where the task has stars."""
    return f"{text}\n{'★' * stars} {ON_TOP}" if stars else text


def all_points(points: float) -> str:
    """Return what a check says where nothing is lost."""
    return f"All {points:g} points."
