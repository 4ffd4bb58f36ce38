"""The engine for one NVIDIA GPU, through CuPy: graph, starts and sweeps stay in its memory."""

from graphwell.backends.cuda.engine import CudaEngine
from graphwell.backends.cuda.graph import CudaGraph

__all__ = ["CudaEngine", "CudaGraph"]
