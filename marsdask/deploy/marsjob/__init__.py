"""Jobs of KubeDL's kind MarsJob, run by Dask's operator."""

from marsdask.deploy.marsjob.translate import Translation, translate
from marsdask.errors import JobRefused

__all__ = ["JobRefused", "Translation", "translate"]
