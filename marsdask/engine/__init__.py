"""Where graphs run: threads of this process, or a Dask cluster that is started or joined."""
