"""The example of the chapter on self-attention: five words with three features, and three matrices of whole numbers."""

import numpy as np

WORDS = ("you", "had", "me", "at", "hello")
FEATURES = ("person", "action", "greeting")
X = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 2]], dtype=float)
W_Q = np.array([[4, 0, 0], [0, 4, 0]], dtype=float)  # a person asks for an action, an action for a person
W_K = np.array([[0, 1, 0], [1, 0, 0]], dtype=float)  # found as: an action, a person
W_V = np.array([[0, 1, 0], [0, 0, 1]], dtype=float)  # handed over: action and greeting
