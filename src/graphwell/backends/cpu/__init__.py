"""The CPU: kernels compiled by numba, on all cores."""
