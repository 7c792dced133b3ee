"""Decoding, and the recurrent networks that decoders are made of."""
