"""How good a trained model is: metrics, scores on test sets, and the result files that keep them."""
