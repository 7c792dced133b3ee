"""Bahdanau, Cho and Bengio (2015): neural machine translation by jointly learning to align and translate."""
