"""A published language model's file, read as it is: GGUF, which llama.cpp runs."""
