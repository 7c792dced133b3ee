"""Lin et al. (2017): a structured self-attentive sentence embedding."""
