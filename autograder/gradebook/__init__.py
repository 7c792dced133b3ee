"""nbgrader's gradebook, the system of record, with its feedback pages, the exchange and formgrader."""
