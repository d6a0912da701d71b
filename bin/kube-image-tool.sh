#!/usr/bin/env bash
# Builds and pushes the image that clusters on Kubernetes run: see --help.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
me=$(basename "$0")

usage() {
    cat <<USAGE
Usage: $me [-r REPO] [-o ORG] [-t TAG] [-b BASE] [-p PYTHON] [-a PACKAGE]... [-e BUILDER] (build | push | save FILE | name)

  build      an image of this checkout, with the versions that are installed in the environment of PYTHON
  push       it to REPO
  save FILE  it as an archive, for nodes that pull from no registry
  name       print its name, [REPO/]ORG/marsdask:TAG

  -r, --repo REPO        the registry, for instance registry.example.com:5000
  -o, --org ORG          the organization (marsdask)
  -t, --tag TAG          the tag (v and the version)
  -b, --base BASE        image with Python, the same minor version as PYTHON has (python:3.X-slim)
  -p, --python PYTHON    interpreter whose packages are taken (python of the active environment)
  -a, --also PACKAGE     a package installed there that your functions need on workers; may be given again
  -e, --engine BUILDER   docker, podman or buildah (the first of them that works)

Environment: PIP_CERT, a file of certificates, and PIP_CONFIG_FILE are used while packages are installed, and not kept.
USAGE
}

fail() {
    echo "$me: $1" >&2
    exit "${2:-1}"
}

# The first builder that works: a docker without its daemon does not.
works() {
    command -v "$1" >/dev/null && { [[ $1 == buildah ]] || "$1" info >/dev/null 2>&1; }
}
find_engine() {
    local candidate
    for candidate in docker podman buildah; do
        if works "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail 'none of docker (with its daemon running), podman and buildah works here. On Debian and Ubuntu: apt-get install buildah'
}

# Fills dist/image: the wheel of this checkout, and the versions to install with it.
prepare() {
    local into=$root/dist/image
    rm -rf "$into"
    mkdir -p "$into"
    "$python" -m marsdask kubernetes requirements "${also[@]}" >"$into/requirements.txt"
    HATCH_BUILD_NO_HOOKS=true "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$into" "$root"
}

build() {
    local minor options=()
    minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    prepare
    if [[ -n ${PIP_CERT:-} ]]; then options+=(--secret "id=certificates,src=$PIP_CERT"); fi
    if [[ -f ${PIP_CONFIG_FILE:-} ]]; then options+=(--secret "id=pip,src=$PIP_CONFIG_FILE"); fi
    if [[ $engine != docker ]]; then options+=(--layers); fi
    DOCKER_BUILDKIT=1 "$engine" build --file "$root/Dockerfile" --tag "$name" "${options[@]}" \
        --build-arg "BASE=${base:-python:$minor-slim}" \
        --build-arg "VERSIONS=$("$python" -m marsdask kubernetes requirements --label)" "$root"
    echo "Built $name"
}

push() {
    [[ -n $repo ]] || fail 'push needs the registry: -r REPO' 2
    "$engine" push "$name"
}

save() {
    rm -f "$1"
    case $engine in
    buildah) buildah push --quiet "$name" "docker-archive:$1:$name" ;;
    *) "$engine" save --output "$1" "$name" ;;
    esac
}

repo='' org=marsdask tag='' base='' python=python engine='' also=()
while (($#)); do
    case $1 in
    -h | --help | '-?')
        usage
        exit 0
        ;;
    -[rotbpae] | --repo | --org | --tag | --base | --python | --also | --engine)
        (($# > 1)) || fail "$1 needs a value; see $me --help" 2
        case $1 in
        -r | --repo) repo=$2 ;;
        -o | --org) org=$2 ;;
        -t | --tag) tag=$2 ;;
        -b | --base) base=$2 ;;
        -p | --python) python=$2 ;;
        -a | --also) also+=("$2") ;;
        -e | --engine) engine=$2 ;;
        esac
        shift 2
        ;;
    -*) fail "there is no option $1; see $me --help" 2 ;;
    *) break ;;
    esac
done
command=${1:-} file=${2:-}

case $command in
build | push | name) (($# == 1)) || fail "$command takes nothing more, not '$2'; options come first" 2 ;;
save) (($# == 2)) || fail 'save takes the name of a file' 2 ;;
'') fail "say what to do: build, push, save FILE or name; see $me --help" 2 ;;
*) fail "there is no command '$command': build, push, save FILE or name; see $me --help" 2 ;;
esac
command -v "$python" >/dev/null || fail "there is no $python; name the interpreter: -p PYTHON"
version=$("$python" -c 'from importlib.metadata import version; print(version("marsdask"))' 2>/dev/null) \
    || fail "$python has no marsdask. Activate the client's environment, or name it: -p PYTHON"
name=${repo:+$repo/}$org/marsdask:${tag:-v$version}
if [[ $command == name ]]; then
    echo "$name"
    exit 0
fi
case $engine in
'') engine=$(find_engine) ;;
docker | podman | buildah) works "$engine" || fail "$engine does not work here: not installed, or its daemon does not run" ;;
*) fail "there is no builder '$engine': docker, podman or buildah" 2 ;;
esac
case $command in
build) build ;;
push) push ;;
save) save "$file" ;;
esac
