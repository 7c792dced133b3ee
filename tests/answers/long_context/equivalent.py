"""Mutants of the references of long context that compute the same: before the change, after it, and why."""

EQUIVALENT: dict[str, dict[tuple[str, str], str]] = {
    "long_context.merge_softmax": {},
    "long_context.flash_forward": {},
    "long_context.flash_backward": {},
}
