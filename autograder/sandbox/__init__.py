"""Where student code runs: namespaces, control groups, a seccomp filter, and a socket to it."""
