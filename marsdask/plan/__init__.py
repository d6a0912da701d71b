"""What is to be done, before anything is: nodes, the registry of operations, metadata, passes, and graphs of chunks."""
