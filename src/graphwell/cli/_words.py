"""How the command line names options: as flags."""

ARGUMENTS = {"table": "TABLE", "image": "IMAGE"}
OTHERWISE = {"row_id": "id", "n_neighbors": "neighbors", "n_jobs": "jobs"}
"""Fields whose flag has another name."""


def in_flags(field: str, value: str | None = None) -> str:
    """Name an option of a job as a user of the shell types it.

    Examples
    --------
    >>> in_flags("max_pixels"), in_flags("missing", '"mean"'), in_flags("snap", "True"), in_flags("table")
    ('--max-pixels', '--missing mean', '--snap', 'TABLE')
    """
    if field in ARGUMENTS:
        return ARGUMENTS[field]
    if field == "n":
        return "-n"
    flag = "--" + OTHERWISE.get(field, field).replace("_", "-")
    return flag if value in (None, "True") else f"{flag} {value.strip(chr(34))}"
