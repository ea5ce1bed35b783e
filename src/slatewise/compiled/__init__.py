"""The fast paths, one hot loop a file; the plain path beside its caller is its specification.

Importing a module of this package imports Numba, so it is done where it is first needed.
"""
