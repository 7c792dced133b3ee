"""The sandbox for student code: namespaces, control groups, a seccomp filter, and a socket to it."""
