"""Pages in the browser of this machine: a small server, its guards, and what stands behind each page."""
