"""One real Kubernetes node in a network namespace of its own, from Go modules and Debian packages.

`python -m tests.kubernetes.node --help` tells the commands; `docs/how-to/kubernetes-test-node.md` the rest.
"""
