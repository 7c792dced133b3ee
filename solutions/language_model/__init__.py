"""The language model: the Transformer's decoder alone, in the form that is in use today."""
