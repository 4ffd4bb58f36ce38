"""Data of other libraries: AnnData, which is not imported at the top."""
