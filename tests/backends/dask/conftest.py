"""Workers that are processes: they can be killed, and hold nothing of the client."""

import pytest


@pytest.fixture
def processes():
    """A client of two of them."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
