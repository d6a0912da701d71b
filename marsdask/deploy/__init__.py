"""Where clusters come from: this machine, command lines, Kubernetes."""
