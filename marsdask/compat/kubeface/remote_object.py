"""Values that many tasks read, each in a file of its own."""

from marsdask.remote.durable import RemoteObject

__all__ = ["RemoteObject"]
