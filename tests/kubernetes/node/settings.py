"""The configuration files of the node's parts, as texts and dicts."""

from pathlib import Path
from typing import Any

ADDRESS = "10.231.7.1"  # of the node; pods are in its /24
PODS = "10.231.7.0/24"
SERVICES = "10.232.0.0/24"
FIRST_SERVICE = "10.232.0.1"  # the API server's own, always the first
BRIDGE = "node0"
PAUSE = "localhost/marsdask-pause:1"


def kubeconfig(pki: Path) -> dict[str, Any]:
    cluster = {"server": f"https://{ADDRESS}:6443", "certificate-authority": str(pki / "ca.crt")}
    user = {"client-certificate": str(pki / "admin.crt"), "client-key": str(pki / "admin.key")}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "node", "cluster": cluster}],
        "users": [{"name": "admin", "user": user}],
        "contexts": [{"name": "node", "context": {"cluster": "node", "user": "admin"}}],
        "current-context": "node",
    }


def pod_network(state: Path, name: str) -> dict[str, Any]:
    """CNI: a bridge that is also the node's address. It does not enforce NetworkPolicies."""
    ranges = {"type": "host-local", "dataDir": f"{state}/addresses", "ranges": [[{"subnet": PODS}]]}
    ranges["routes"] = [{"dst": "0.0.0.0/0"}]
    bridge = {"type": "bridge", "bridge": BRIDGE, "isGateway": True, "hairpinMode": True, "ipam": ranges}
    ports = {"type": "portmap", "capabilities": {"portMappings": True}}
    return {"cniVersion": "0.4.0", "name": name, "plugins": [bridge, ports]}


def containerd(state: Path, run: Path) -> str:
    # Pods' network namespaces lie below our own directory, so that stopping finds them; a root without
    # CAP_SYS_RESOURCE may not lower a score for the kernel's killer.
    return f"""
version = 2
root = "{state}/containerd"
state = "{run}/containerd"
[grpc]
  address = "{run}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{state}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
      Root = "{run}/runc"
[plugins."io.containerd.internal.v1.opt"]
  path = "{state}/opt"
"""


def kubelet(state: Path, run: Path, cgroup: str) -> dict[str, Any]:
    pki = state / "pki"
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": ADDRESS,
        "healthzBindAddress": "127.0.0.1",
        "readOnlyPort": 0,
        "tlsCertFile": f"{pki}/kubelet.crt",
        "tlsPrivateKeyFile": f"{pki}/kubelet.key",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": False},
            "x509": {"clientCAFile": f"{pki}/ca.crt"},
        },
        "authorization": {"mode": "AlwaysAllow"},
        "containerRuntimeEndpoint": f"unix://{run}/containerd.sock",
        "podLogsDir": f"{state}/pods",
        "volumePluginDir": f"{state}/plugins",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{cgroup}",
        "cpuCFSQuota": False,  # a small pod may start with all the cores that nobody else uses
        "failCgroupV1": False,  # from 1.35 the default is true
        "failSwapOn": False,
        "enforceNodeAllocatable": [],
        "evictionHard": {
            "memory.available": "100Mi",
            "nodefs.available": "1%",
            "imagefs.available": "1%",
            "nodefs.inodesFree": "1%",
        },
        "imageGCHighThresholdPercent": 100,
        "imageGCLowThresholdPercent": 99,
        "clusterDNS": [ADDRESS],
        "clusterDomain": "cluster.local",
    }


def names(kubeconfig: Path) -> str:
    """CoreDNS's file."""
    return f"""
.:53 {{
  bind {ADDRESS}
  errors
  kubernetes cluster.local in-addr.arpa {{
    kubeconfig {kubeconfig} node
    pods insecure
    ttl 5
  }}
}}
"""


def audit() -> dict[str, Any]:
    """Note which requests the operator makes, to compare them with its rights."""
    return {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [
            {"level": "Metadata", "userGroups": ["system:serviceaccounts:dask-operator"]},
            {"level": "None"},
        ],
    }
