"""One notebook's way through the judge, in a pool of processes, here or on other machines."""
