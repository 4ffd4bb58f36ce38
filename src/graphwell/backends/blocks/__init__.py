"""A graph cut into blocks, and what one block does between two exchanges. Nothing here knows Dask."""
