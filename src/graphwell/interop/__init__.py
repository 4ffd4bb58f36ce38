"""Data of other libraries: AnnData, data frames, xarray; a bar for notebooks. None is imported at the top."""
