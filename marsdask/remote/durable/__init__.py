"""A durable, parallel map over expensive calls: each result is a file, made once, whatever dies meanwhile."""

from marsdask.remote.durable.client import Client
from marsdask.remote.durable.objects import RemoteObject
from marsdask.remote.durable.results import Failure, JobResults, Speculation

__all__ = ["Client", "Failure", "JobResults", "RemoteObject", "Speculation"]
