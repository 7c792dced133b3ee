"""nbgrader's gradebook, the system of record, and what goes with it: feedback pages, the exchange, formgrader."""
