"""The same elements in another shape, order or chunking, and several tensors made one."""
