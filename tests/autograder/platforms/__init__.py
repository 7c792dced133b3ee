"""Where courses are: Gradescope, GitHub, Colab, Canvas."""
