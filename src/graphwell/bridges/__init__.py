"""Data of other libraries, brought in and taken back: one library a file, none imported at the top."""
