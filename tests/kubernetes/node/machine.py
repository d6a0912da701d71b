"""What the machine must have for a node: root, Go, Debian's packages; and where built things are kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The program or file that shows that a package is there -> the package.
PACKAGES = {
    "containerd": "containerd",
    "runc": "runc",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    "iptables": "iptables",
    "conntrack": "conntrack",
    "curl": "curl",
    "ip": "iproute2",
    "buildah": "buildah",
    "debootstrap": "debootstrap",
    "/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring",
}
GO = (1, 26)


def cache() -> Path:
    """The directory that outlives runs: programs and the archive of the image."""
    return Path(os.environ.get("XDG_CACHE_HOME", "") or Path.home() / ".cache") / "marsdask-kubernetes"


def cannot() -> str:
    """Why no node can run here, or nothing."""
    if sys.platform != "linux":
        return f"a node needs Linux, this is {sys.platform}"
    if os.geteuid() != 0:
        return "a node needs root"
    if missing() and shutil.which("apt-get") is None:
        return f"there is no {', '.join(missing())}, and no apt-get to install it with"
    go = shutil.which("go")
    if go is None:
        return "there is no Go to build Kubernetes with"
    version = subprocess.check_output([go, "env", "GOVERSION"], text=True, timeout=60).strip()
    if tuple(map(int, version.removeprefix("go").split(".")[:2])) < GO:
        return f"the programs need Go {GO[0]}.{GO[1]}, this is {version}"
    return ""


def missing() -> list[str]:
    """The Debian packages that are not installed."""
    return [
        package
        for sign, package in PACKAGES.items()
        if shutil.which(sign) is None and not Path(sign).exists()
    ]


def install_packages() -> None:
    """Install what is missing, as Debian has it."""
    if not (names := missing()):
        return
    print(f"Installing {' '.join(names)}", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-qq", "--no-install-recommends", *names]):
        subprocess.run(
            ["apt-get", *command], env=environment, check=True, timeout=600, stdout=subprocess.DEVNULL
        )


def run(*words: object, timeout: float = 60, **options: object) -> str:
    """A command's output; its error output in the exception if it fails."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=timeout, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
