"""Luong, Pham and Manning (2015): effective approaches to attention-based neural machine translation."""
