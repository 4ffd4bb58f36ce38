"""Data of other libraries: AnnData and xarray. Neither is imported at the top."""
