"""Tests on a real Kubernetes node, `make test-kubernetes`; the node is in `node`."""
