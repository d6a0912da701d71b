"""A durable, parallel map over expensive calls: each result is a file, made once, whatever dies meanwhile."""

from marsdask.remote.durable.asked import Failure, Speculation
from marsdask.remote.durable.client import Client
from marsdask.remote.durable.objects import RemoteObject
from marsdask.remote.durable.results import JobResults

__all__ = ["Client", "Failure", "JobResults", "RemoteObject", "Speculation"]
