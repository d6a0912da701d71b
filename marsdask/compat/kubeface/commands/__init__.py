"""The commands `kubeface-run`, `kubeface-job`, `kubeface-copy` and `_kubeface-run-task`."""
