"""Record the golden fits anew: ``python -m tests.golden cpu`` or ``gpu``; a commit of its own says why."""

import sys

from tests.golden import cases, recorded


def main(kind: str) -> None:
    if kind == "gpu":
        import cupy

        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        recorded.save("gpu", name, cases.ON_GPU)
        return
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        recorded.save("cpu", recorded.processor(), {**cases.CPU, **cases.ON_MNIST, **cases.ON_DASK})


if __name__ == "__main__":
    main(sys.argv[1])
