"""Checks answers and grades classes: kit is public, checks and the judge are on the trusted side."""

import sys

from lab.programs import guard

# jsonschema, which nbformat asks, builds a parser for addresses with foreign letters at import: 1.5 s of CPU in every
# process, for a format that no notebook's schema has. It goes on without.
sys.modules.setdefault("rfc3987_syntax", None)  # pyright: ignore[reportArgumentType]
guard(__name__)
