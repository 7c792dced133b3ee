"""What all chapters share: data, text, batches, training, decoding, scoring, plots; no attention of its own."""

from lab.programs import guard

guard(__name__)
