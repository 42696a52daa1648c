"""An fx.GraphModule as JSON and plain bytes, and back: nothing is pickled, nothing in a file is ever executed."""

from bucketviz.execution.portable.graph import read_graph, write_graph
from bucketviz.execution.portable.storages import StorageReader, StorageWriter

__all__ = ["StorageReader", "StorageWriter", "read_graph", "write_graph"]
