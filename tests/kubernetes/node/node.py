"""Start and stop one node."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import psutil
import yaml

from tests.kubernetes.node import certificates, machine, programs, settings
from tests.kubernetes.node.machine import run

# The order in which they stop: what would repair first.
PARTS = (
    "kubelet",
    "kube-controller-manager",
    "kube-scheduler",
    "kube-proxy",
    "coredns",
    "kube-apiserver",
    "etcd",
)
CGROUPS = Path("/sys/fs/cgroup")
PATIENCE = 300.0
"""Seconds in which only what hangs is not ready."""


class Node:
    """A node by name: its network namespace, its processes, its files."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.run = Path("/run/marsdask-kubernetes") / name  # sockets want short paths
        self.state = machine.cache() / "nodes" / name
        self.kubeconfig = self.run / "kubeconfig"
        self.audit = self.state / "audit.log"
        self.inside = ["nsenter", f"--net=/run/netns/{name}"]
        self.started: list[subprocess.Popen[bytes]] = []

    # The namespace

    def make_network(self) -> None:
        """A namespace with a bridge, and a default route: without one Services' addresses have no way."""
        if Path(f"/run/netns/{self.name}").exists():
            return
        # Not `ip netns exec`: it mounts another /sys, where the control groups are not.
        run("ip", "netns", "add", self.name)
        for words in (
            "ip link set lo up",
            f"ip link add {settings.BRIDGE} type bridge",
            f"ip addr add {settings.ADDRESS}/24 dev {settings.BRIDGE}",
            f"ip link set {settings.BRIDGE} up",
            f"ip route add default via {settings.ADDRESS.rpartition('.')[0]}.254 dev {settings.BRIDGE}",
            "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.route_localnet=1",
        ):
            run(*self.inside, *words.split())

    def drop_network(self) -> None:
        if Path(f"/run/netns/{self.name}").exists():
            run("ip", "netns", "del", self.name)

    # Its processes

    def start(self) -> None:
        """Start everything; back when the node is Ready."""
        self.make_network()
        for folder in (self.run, *(self.state / part for part in ("logs", "pki", "cni"))):
            folder.mkdir(parents=True, exist_ok=True)
        certificates.write(self.state / "pki", settings.ADDRESS, settings.FIRST_SERVICE)
        self.write(self.kubeconfig, settings.kubeconfig(self.state / "pki"))
        for group in self.cgroups():
            group.mkdir(exist_ok=True)
            # All pods together would get what one process of a test beside them gets.
            for file, weight in {"cpu.shares": 16 * 1024, "cpu.weight": 16 * 100}.items():
                if (group / file).exists():
                    self.write(group / file, str(weight))
        self.start_containerd()
        found = programs.build()
        self.start_control_plane(found)
        self.start_kubelet(found)
        self.until("the node", self.is_ready)

    def start_containerd(self) -> None:
        self.write(
            self.state / "cni" / "10-node.conflist", json.dumps(settings.pod_network(self.state, self.name))
        )
        config = self.write(self.state / "containerd.toml", settings.containerd(self.state, self.run))
        self.begin("containerd", "containerd", "-c", config)
        self.until(
            "containerd",
            lambda: subprocess.run([*self.ctr, "version"], capture_output=True).returncode == 0,
        )

    def start_control_plane(self, found: dict[str, Path]) -> None:
        pki = self.state / "pki"
        self.begin("etcd", found["etcd"], f"--data-dir={self.state}/etcd", "--unsafe-no-fsync")
        self.begin(
            "kube-apiserver",
            found["kube-apiserver"],
            "--etcd-servers=http://127.0.0.1:2379",
            f"--bind-address={settings.ADDRESS}",
            f"--advertise-address={settings.ADDRESS}",
            f"--service-cluster-ip-range={settings.SERVICES}",
            f"--client-ca-file={pki}/ca.crt",
            f"--tls-cert-file={pki}/apiserver.crt",
            f"--tls-private-key-file={pki}/apiserver.key",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-signing-key-file={pki}/accounts.key",
            f"--service-account-key-file={pki}/accounts.pub",
            "--authorization-mode=Node,RBAC",
            "--allow-privileged=true",
            # As OpenShift has it: who makes something that holds up its owner's deletion needs a right for that.
            "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
            f"--kubelet-client-certificate={pki}/admin.crt",
            f"--kubelet-client-key={pki}/admin.key",
            f"--kubelet-certificate-authority={pki}/ca.crt",
            "--kubelet-preferred-address-types=InternalIP",
            f"--cert-dir={self.state}/certs",
            f"--audit-policy-file={self.write(self.state / 'audit.yaml', settings.audit())}",
            f"--audit-log-path={self.audit}",
        )
        self.until("kube-apiserver", lambda: bool(self.answer("/readyz")))
        as_admin = [
            f"--{what}kubeconfig={self.kubeconfig}" for what in ("", "authentication-", "authorization-")
        ]
        common = [
            *as_admin,
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
            f"--cert-dir={self.state}/certs",
        ]
        self.begin(
            "kube-controller-manager",
            found["kube-controller-manager"],
            *common,
            f"--service-account-private-key-file={pki}/accounts.key",
            f"--root-ca-file={pki}/ca.crt",
            "--use-service-account-credentials=true",
            f"--flex-volume-plugin-dir={self.state}/plugins",
        )
        self.begin("kube-scheduler", found["kube-scheduler"], *common)

    def start_kubelet(self, found: dict[str, Path]) -> None:
        of_node = [f"--kubeconfig={self.kubeconfig}", "--hostname-override=node"]
        config = self.write(self.state / "kubelet.yaml", settings.kubelet(self.state, self.run, self.name))
        self.begin(
            "kubelet",
            found["kubelet"],
            *of_node,
            f"--config={config}",
            f"--node-ip={settings.ADDRESS}",
            f"--root-dir={self.state}/kubelet",
            f"--cert-dir={self.state}/certs",
        )
        self.begin(
            "kube-proxy",
            found["kube-proxy"],
            *of_node,
            f"--bind-address={settings.ADDRESS}",
            "--healthz-bind-address=127.0.0.1:10256",
            "--metrics-bind-address=127.0.0.1:10249",
            f"--cluster-cidr={settings.PODS}",
            "--proxy-mode=iptables",
            "--masquerade-all",
            # The machine's own limits of connections are not ours to set.
            *(
                f"--conntrack-{what}=0"
                for what in ("max-per-core", "min", "tcp-timeout-established", "tcp-timeout-close-wait")
            ),
        )
        self.begin(
            "coredns",
            found["coredns"],
            "-conf",
            self.write(self.state / "Corefile", settings.names(self.kubeconfig)),
        )

    def begin(self, name: str, *words: object) -> None:
        """Start a part in the namespace, and note which process it is."""
        with (self.state / "logs" / name).open("ab") as log:
            started = subprocess.Popen(
                [*self.inside, *map(str, words)],
                cwd=self.state,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.started.append(started)
        born = psutil.Process(started.pid).create_time()
        self.write(self.run / f"{name}.pid", f"{started.pid} {born}")

    def process(self, name: str) -> psutil.Process | None:
        """The part's process if it runs; never another one that has its number now."""
        with contextlib.suppress(FileNotFoundError, psutil.NoSuchProcess):
            pid, born = (self.run / f"{name}.pid").read_text().split()
            process = psutil.Process(int(pid))
            if process.create_time() == float(born) and process.status() != psutil.STATUS_ZOMBIE:
                return process
        return None

    # Asking it

    @property
    def ctr(self) -> list[str]:
        return ["ctr", f"--address={self.run}/containerd.sock", "--namespace=k8s.io"]

    def answer(self, path: str) -> str:
        """What the API server says to its administrator; nothing if it does not, or not well."""
        pki = self.state / "pki"
        who = ["--cacert", pki / "ca.crt", "--cert", pki / "admin.crt", "--key", pki / "admin.key"]
        words = [*self.inside, "curl", "--silent", "--fail", "--max-time", "30", *who]
        return subprocess.run(
            [*map(str, words), f"https://{settings.ADDRESS}:6443{path}"], capture_output=True, text=True
        ).stdout

    def asked(self, account: str, since: datetime, *, watches: bool = False) -> int:
        """How often a service account has asked the API server, with `watches` for watches, too: once for each that it began."""
        found = set()
        for line in self.audit.read_text().splitlines():
            event = json.loads(line)
            theirs = event["user"]["username"].endswith(f":{account}")
            counts = theirs and (watches or event["verb"] != "watch")
            if counts and datetime.fromisoformat(event["requestReceivedTimestamp"]) > since:
                found.add(event["auditID"])  # a watch has a line for its begin and one for its end
        return len(found)

    def is_ready(self) -> bool:
        """Whether its kubelet says so."""
        said = self.answer("/api/v1/nodes/node")
        conditions = json.loads(said)["status"].get("conditions", ()) if said else ()
        return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)

    def load(self, archive: Path) -> None:
        """Give the node an image."""
        run(*self.ctr, "images", "import", archive, timeout=300)

    def until(self, part: str, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            dead = [
                name
                for name in (*PARTS, "containerd")
                if (self.run / f"{name}.pid").exists() and self.process(name) is None
            ]
            if dead or time.monotonic() > end:
                what = f"{dead[0]} ended" if dead else f"{part} was not ready within {PATIENCE:.0f} s"
                log = self.state / "logs" / (dead[0] if dead else part)
                said = "\n".join(log.read_text().splitlines()[-20:]) if log.exists() else ""
                raise RuntimeError(f"{what}\n{said}")
            time.sleep(0.1)

    @staticmethod
    def write(path: Path, content: object) -> Path:
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
        return path

    # The end

    def stop(self) -> None:
        """End every process, unmount, and remove every file of the node; its namespace stays until `drop_network`.

        Nothing is asked to end in peace but containerd: what it held is thrown away, and the API server would wait for
        its watchers.
        """
        for name in PARTS:
            self.end(name, signal.SIGKILL)
        for pid in self.pods():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.process("containerd") is not None:
            listed = subprocess.run(
                [*self.ctr, "tasks", "ls", "-q"], capture_output=True, text=True, timeout=20
            )
            for task in listed.stdout.split():
                subprocess.run([*self.ctr, "tasks", "rm", "-f", task], capture_output=True, timeout=20)
        self.end("containerd", signal.SIGTERM)
        self.end_shims()
        for started in self.started:
            started.wait(20)
        for mount in self.mounts():
            run("umount", "--lazy", mount)
        for group in self.cgroups():
            for folder, _, _ in os.walk(group, topdown=False):
                with contextlib.suppress(FileNotFoundError):
                    os.rmdir(folder)
        for file in self.elsewhere():
            file.unlink()
        for folder in (self.state, self.run):
            if folder.exists():
                shutil.rmtree(folder)

    def check_nothing_left(self) -> None:
        """An error where a process, mount, control group or file of the node is still there."""
        processes = [
            p for p in psutil.process_iter(["cmdline"]) if str(self.run) in " ".join(p.info["cmdline"] or ())
        ]
        files = [*self.elsewhere(), *(each for each in (self.run, self.state) if each.exists())]
        left = [*processes, *self.mounts(), *(group for group in self.cgroups() if group.exists()), *files]
        if left:
            raise RuntimeError(f"of the node are left: {', '.join(map(str, left))}")

    def end(self, name: str, how: signal.Signals) -> None:
        if (process := self.process(name)) is not None:
            process.send_signal(how)
            process.wait(timeout=20)

    def end_shims(self) -> None:
        """containerd's shims outlive it; they carry its address."""
        ours = [
            p
            for p in psutil.process_iter(["cmdline"])
            if f"{self.run}/containerd.sock" in (p.info["cmdline"] or ())
        ]
        for process in ours:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(ours, timeout=10)

    def cgroups(self) -> list[Path]:
        """The node's control group; on a machine with version 1 there is one for each controller."""
        if (CGROUPS / "cgroup.controllers").exists():
            return [CGROUPS / self.name]
        return [
            folder / self.name for folder in CGROUPS.iterdir() if folder.is_dir() and not folder.is_symlink()
        ]

    def pods(self) -> Iterator[int]:
        """The processes in pods."""
        for group in self.cgroups():
            for folder, _, _ in os.walk(group):  # which passes over what goes meanwhile
                with contextlib.suppress(OSError):
                    yield from map(int, Path(folder, "cgroup.procs").read_text().split())

    def elsewhere(self) -> list[Path]:
        """Files of the node in places that nobody can choose: notes on pods' networks, links to their logs."""
        networks = Path("/var/lib/cni/results")
        notes = [*networks.glob(f"{self.name}-{'[0-9a-f]' * 64}-eth0")]
        ids = [note.name.removeprefix(f"{self.name}-").removesuffix("-eth0") for note in notes]
        loops = [found for id in ids for found in networks.glob(f"*loopback-{id}-lo")]
        logs = [link for link in Path("/var/log/containers").glob("*.log") if link.is_symlink()]
        return [*notes, *loops, *(link for link in logs if str(link.readlink()).startswith(f"{self.state}/"))]

    def mounts(self) -> list[str]:
        lines = Path("/proc/self/mounts").read_text().splitlines()
        below = (f"{self.state}/", f"{self.run}/")
        return sorted((line.split()[1] for line in lines if line.split()[1].startswith(below)), reverse=True)
