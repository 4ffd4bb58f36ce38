"""The work behind every command and page: typed options in, a typed report out."""
