"""A Dask cluster: the fit of one machine, on every worker, for rows that no single machine could hold."""
