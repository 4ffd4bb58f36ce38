"""The work behind every command and page: options in, a report out."""
