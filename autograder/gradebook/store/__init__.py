"""Where grades are kept: the database, its rows, and what is read from them."""
