"""Where a job's status pages are. The durable map writes them, every second while something changes."""

from __future__ import annotations

from marsdask.compat.kubeface import naming, storage
from marsdask.compat.kubeface.common import log


class DefaultStatusWriter:
    """The two pages of a job, by the job's name."""

    def __init__(self, storage_path: str, job_name: str):
        self.storage_path, self.job_name = storage_path, job_name
        job = naming.JOB.make_tuple(job_name)
        page = f"{storage_path.rstrip('/')}/{job.cache_key}/status/{job.randomness}"
        self.json_path, self.html_path = f"{page}.json", f"{page}.html"

    def print_info(self) -> None:
        """Tell in the log where they are."""
        log.info("Job status: %s and %s", *map(storage.access_info, (self.html_path, self.json_path)))
