"""The store of grades: the database, its rows, and the queries."""
