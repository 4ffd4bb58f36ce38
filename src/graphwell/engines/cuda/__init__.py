"""The engine for one NVIDIA card, through CuPy: graph, starts and sweeps stay in its memory."""

from graphwell.engines.cuda.engine import CudaEngine
from graphwell.engines.cuda.graph import CudaGraph

__all__ = ["CudaEngine", "CudaGraph"]
