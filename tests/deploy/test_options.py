"""Every option of Mars's command lines: what becomes of it, and that bad ones start nothing."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import dask
import pytest

import marsdask
from marsdask.deploy import options, worker
from tests.deploy.planned import COMMANDS, ENDPOINT, call, plan_of
from tests.processes import reserved_port


@pytest.fixture
def ports() -> Iterator[tuple[int, int]]:
    """Two that are free."""
    with reserved_port() as one, reserved_port() as other:
        yield one, other


def test_a_supervisor_of_either_generation(plans, ports):
    port, web = ports
    second, said = plan_of(plans, "supervisor", "-H", "127.0.0.1", "-p", str(port), "-w", str(web))
    assert (second.host, second.port, second.web_host, second.web_port) == (
        "127.0.0.1",
        port,
        "127.0.0.1",
        web,
    )
    assert said == ""
    first, _ = plan_of(plans, "supervisor", "-a", "127.0.0.1", "-p", str(port))
    assert (first.host, first.port, first.web_port) == ("127.0.0.1", port, 0)
    endpoint, _ = plan_of(plans, "supervisor", "-e", f"127.0.0.1:{port}", "-s", f"127.0.0.1:{port}")
    assert (endpoint.host, endpoint.port) == ("127.0.0.1", port)
    bare, _ = plan_of(plans, "supervisor")
    assert (bare.host, bare.port) == ("0.0.0.0", 0)
    in_a_pod, _ = plan_of(plans, "supervisor", MARS_CONTAINER_IP="127.0.0.1")
    assert in_a_pod.host == "127.0.0.1"
    by_env, _ = plan_of(plans, "supervisor", MARS_BIND_HOST="127.0.0.1", MARS_BIND_PORT=str(port))
    assert (by_env.host, by_env.port) == ("127.0.0.1", port)


def test_an_interface_is_bound_by_all_ports(plans):
    plan, _ = plan_of(plans, "supervisor", "--interface", "lo")
    assert (plan.host, plan.scheduler["interface"], plan.web_host) == ("", "lo", "127.0.0.1")


def test_a_worker_of_either_generation(plans):
    second, said = plan_of(plans, "worker", "-H", "127.0.0.1", "-p", "7104", "-s", ENDPOINT, "--n-cpu", "3")
    assert second.scheduler == ENDPOINT
    assert second.threads == 3
    assert second.worker["host"] == "127.0.0.1"
    assert second.worker["worker_port"] == 7104
    assert said == ""
    first, _ = plan_of(plans, "worker", "-a", "127.0.0.1", "-s", f"{ENDPOINT},{ENDPOINT}", "--cpu-procs", "2")
    assert first.worker["host"] == "127.0.0.1"
    assert "contact_address" not in first.worker
    assert first.threads == 2


def test_a_worker_tells_another_address_than_it_binds(plans):
    both, _ = plan_of(plans, "worker", "-H", "127.0.0.1", "-a", "10.0.0.7", "-p", "7104", "-s", ENDPOINT)
    assert (both.worker["host"], both.worker["contact_address"]) == ("127.0.0.1", "10.0.0.7:7104")
    port_chosen, _ = plan_of(plans, "worker", "-H", "127.0.0.1", "-a", "10.0.0.7", "-s", ENDPOINT)
    assert port_chosen.worker["contact_address"] == f"10.0.0.7:{port_chosen.worker['worker_port']}"
    as_dask, _ = plan_of(
        plans,
        "worker",
        "--listen-address",
        "tcp://0.0.0.0:7104",
        "--contact-address",
        "tcp://10.0.0.7:9",
        "-s",
        ENDPOINT,
    )
    assert as_dask.worker["host"] == "0.0.0.0"
    assert as_dask.worker["contact_address"] == "tcp://10.0.0.7:9"


def test_modules_as_mars_lists_them(plans):
    plan, _ = plan_of(plans, "worker", "--load-modules", "json", "csv", "-s", ENDPOINT, "--preload", "wave")
    assert plan.worker["preload"] == ("json", "csv", "wave")
    plan, _ = plan_of(plans, "supervisor", "--load-modules", "json", "csv", "-H", "127.0.0.1")
    assert plan.scheduler["preload"] == ("json", "csv")
    plan, _ = plan_of(plans, "worker", "-s", ENDPOINT, MARS_LOAD_MODULES="json csv")
    assert plan.worker["preload"] == ("json", "csv")


def test_memory_and_spill_options(plans, tmp_path):
    words = ["--phy-mem", "4g", "--cache-mem", "50%", "--spill-dir", f"{tmp_path}/a:{tmp_path}/b"]
    plan, said = plan_of(plans, "worker", "-s", ENDPOINT, *words, "--plasma-dir", "/dev/shm")
    assert plan.worker["memory_limit"] == 4 * 2**30
    assert plan.worker["local_directory"] == f"{tmp_path}/a"
    assert dask.config.get("distributed.worker.memory.target") == 0.5
    assert list(dask.config.get("marsdask.spill.directories")) == [f"{tmp_path}/a", f"{tmp_path}/b"]
    assert said.count("--plasma-dir") == 1
    share, _ = plan_of(
        plans, "worker", "-s", ENDPOINT, "--mem-bytes", "80%", "--local-directory", str(tmp_path)
    )
    assert share.worker["memory_limit"] == 0.8
    assert share.worker["local_directory"] == str(tmp_path)


def test_gpus_and_resources(plans, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "9")
    plan, _ = plan_of(
        plans, "worker", "-s", ENDPOINT, "--cuda-devices", "0,2", "--resources", "DISK=2 MEM=1e9"
    )
    assert plan.worker["resources"] == {"GPU": 2.0, "DISK": 2.0, "MEM": 1e9}
    assert worker.os.environ["CUDA_VISIBLE_DEVICES"] == "0,2"
    none, _ = plan_of(plans, "worker", "-s", ENDPOINT, "--cuda-devices", "")
    assert none.worker["resources"] is None
    assert worker.os.environ["CUDA_VISIBLE_DEVICES"] == ""


def test_options_of_dask_pass(plans):
    words = [
        "--death-timeout", "5 minutes", "--lifetime", "1h", "--lifetime-stagger", "30s", "--lifetime-restart",
        "--name", "alice", "--no-nanny", "--scheduler-sni", "boss", "--no-dashboard", "--protocol", "tcp",
        "--worker-class", "distributed.worker.Worker", "--scheduler-file", "/nowhere/file",
    ]  # fmt: skip
    plan, _ = plan_of(plans, "worker", *words)
    assert (plan.death_timeout, plan.name, plan.nanny, plan.scheduler_file) == (
        300,
        "alice",
        False,
        "/nowhere/file",
    )
    assert {k: plan.worker[k] for k in ("lifetime", "lifetime_stagger", "lifetime_restart")} == {
        "lifetime": 3600,
        "lifetime_stagger": 30,
        "lifetime_restart": True,
    }
    assert (plan.worker["scheduler_sni"], plan.worker["dashboard"], plan.worker["protocol"]) == (
        "boss",
        False,
        "tcp",
    )
    assert plan.worker_class == "distributed.worker.Worker"
    many, _ = plan_of(
        plans,
        "worker",
        "-s",
        ENDPOINT,
        "--nworkers",
        "2",
        "-p",
        "7104:7110",
        "--nanny-port",
        "7111:7120",
        "--n-cpu",
        "4",
    )
    assert (many.count, many.threads, many.worker["worker_port"], many.watch["port"]) == (
        2,
        2,
        "7104:7110",
        "7111:7120",
    )


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *(("supervisor", o) for each in options.IGNORED_BY_SUPERVISOR for o in [each]),
        *(("worker", o) for each in options.IGNORED_BY_WORKER for o in [each]),
    ],
)
def test_an_option_without_effect_is_said_once(plans, command, option):
    words = ["-H", "127.0.0.1"] if command == "supervisor" else ["-s", ENDPOINT]
    for name in option.spelled.split():
        given = [name] if option.flag else [name, "3", name, "4"]
        _, said = plan_of(plans, command, *words, *given)
        assert said.count("Warning") == 1
        assert name in said
    if option.harmless:
        assert plan_of(plans, command, *words, option.spelled.split()[0], option.harmless)[1] == ""


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("words", [["-k", "etcd://h:2379"], ["--kv-store", "local://"], ["-Dscheduler.x=3"]])
def test_what_cannot_be_honoured_is_refused_by_name(plans, command, words):
    done = call(command, *words)
    assert done.exit_code == 2
    assert words[0][:2] in done.output
    assert "cannot be honoured" in done.output
    assert not plans


NO_MODULES = ("nosuch", "nosuch.module", "json.nosuch", "/nowhere/file.py")
BAD = [
    *[("worker", "--mem-bytes", v, "--mem-bytes") for v in ("abc", "-5", "-1GB", "10kB", "0", "2.5", "nan", "120%")],
    *[("worker", "--phy-mem", v, "--phy-mem") for v in ("abc", "0")],
    *[("worker", o, "abc", o) for o in ("--cache-mem", "--min-mem", "--min-cache-mem", "--io-parallel-num")],
    *[("worker", "--n-cpu", v, "--n-cpu") for v in ("abc", "-5", "0", "2.5", "nan", "")],
    *[("worker", "--nworkers", v, "--nworkers") for v in ("0", "-1", "2.5")],
    *[("supervisor", "--n-worker", v, "--n-worker") for v in ("-1", "2.5", "many")],
    *[(c, "-p", v, "--port") for c in COMMANDS for v in ("abc", "-5", "2.5", "65536", "nan", "9:1")],
    *[("supervisor", "-w", v, "--web-port") for v in ("abc", "-1", "2.5", "70000")],
    *[(c, "-H", v, "--host") for c in COMMANDS for v in ("", "a b", "tcp://h", "h:7103")],
    *[(c, "-a", v, "--advertise") for c in COMMANDS for v in ("", "a b", "http://h")],
    *[(c, "-e", v, "--endpoint") for c in COMMANDS for v in ("", "h", "h:0", "h:abc", "http://h:1")],
    *[(c, "-s", v, "--supervisors") for c in COMMANDS for v in ("h", ",", "h:70000", "h:1,g:1")],
    *[("worker", "-s", v, "--supervisors") for v in ("ftp://h:1", "http://:0")],
    *[(c, "-f", "/nowhere.yml", "--config-file") for c in COMMANDS],
    *[(c, "-c", v, "--config") for c in COMMANDS for v in ("{", "[1]", "3")],
    *[(c, "--log-level", "loud", "--log-level") for c in COMMANDS],
    *[(c, "--log-format", v, "--log-format") for c in COMMANDS for v in ("%(nothing)s", "%(message)d %")],
    *[(c, "--log-conf", "/nowhere.conf", "--log-conf") for c in COMMANDS],
    *[(c, "--use-uvloop", "maybe", "--use-uvloop") for c in COMMANDS],
    *[(c, "--tls-cert", "/nowhere.pem", "--tls-cert") for c in COMMANDS],
    *[("worker", "--cuda-devices", v, "--cuda-devices") for v in ("a", "0,0", "-1")],
    *[("worker", "--resources", v, "--resources") for v in ("GPU", "GPU=x", "=3", "GPU=-1", "GPU=nan")],
    *[(c, "--death-timeout", v, "--death-timeout") for c in ("worker", "web") for v in ("abc", "-5", "nan", "5 parsecs")],
    ("worker", "--worker-class", "no.such.Class", "--worker-class"),
    ("worker", "--worker-class", "json.JSONDecoder", "--worker-class"),
    ("worker", "--spill-dir", "/proc/nowhere", "--spill-dir"),
    ("worker", "--min-mem", "100000g", "--min-mem"),
    ("worker", "--min-cache-mem", "100000g", "--min-cache-mem"),
    ("worker", "--local-directory", "/proc/nowhere", "--local-directory"),
    ("supervisor", "--scheduler-file", "/nowhere/file", "--scheduler-file"),
    *[(c, o, v, o) for c in ("supervisor", "worker") for o in ("--preload", "--load-modules") for v in NO_MODULES],
    *[("worker", "--preload-nanny", v, "--preload-nanny") for v in NO_MODULES],
    *[(c, "-c", '{"third_party_modules": ["nosuch"]}', "third_party_modules") for c in ("supervisor", "worker")],
    ("supervisor", "--idle-timeout", "-1", "--idle-timeout"),
    ("supervisor", "--interface", "nosuch0", "--interface"),
    ("worker", "--interface", "nosuch0", "--interface"),
    *[(c, "--dashboard-address", v, "--dashboard-address") for c in ("supervisor", "worker") for v in ("here", "a b:1", ":99999")],
    ("worker", "--mem-bytes", "0.1%", "--mem-bytes"),
    ("worker", "--phy-mem", "0.1%", "--phy-mem"),
    ("supervisor", "-s", "10.9.9.9:7103", "--supervisors"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "option", "value", "named"), BAD)
def test_a_bad_value_names_its_option_and_starts_nothing(plans, command, option, value, named):
    enough = ["-s", ENDPOINT] if command == "worker" and option != "-s" else []
    done = call(command, *enough, option, value)
    assert done.exit_code == 2, done.output
    assert named.removesuffix("s") in done.output or option in done.output
    assert "Traceback" not in done.output
    assert not plans


@pytest.mark.parametrize(
    ("command", "words", "named"),
    [
        ("supervisor", ["-H", "0.0.0.0", "-a", "10.0.0.7"], "--advertise"),
        ("supervisor", ["-H", "127.0.0.1", "-e", "127.0.0.1:7103"], "--endpoint"),
        ("supervisor", ["-e", "127.0.0.1:7103", "-p", "7104"], "--port"),
        ("supervisor", ["-w", "1", "--dashboard-address", ":1"], "--dashboard-address"),
        ("supervisor", ["--tls-temporary", "--tls-cert", __file__], "--tls-temporary"),
        ("supervisor", ["--tls-cert", __file__, "--tls-key", __file__], "--tls-ca-file"),
        ("supervisor", ["--tls-cert", __file__, "--tls-key", __file__, "--tls-ca-file", __file__], "--tls-cert"),
        ("supervisor", ["--log-conf", __file__], "--log-conf"),
        ("supervisor", ["--n-cpu", "2"], "--n-worker"),
        ("supervisor", ["--interface", "lo", "-H", "127.0.0.1"], "--interface"),
        ("worker", ["-s", ENDPOINT, "--scheduler-file", "x"], "--scheduler-file"),
        ("worker", ["-s", "10.0.0.1:7103,10.0.0.2:7103"], "one scheduler"),
        ("worker", ["-s", ENDPOINT, "--contact-address", "tcp://h:1"], "--listen-address"),
        ("worker", ["-s", ENDPOINT, "--listen-address", "tcp://h:1", "-H", "h"], "--listen-address"),
        ("worker", ["-s", ENDPOINT, "--nworkers", "2", "--no-nanny"], "--no-nanny"),
        ("worker", ["-s", ENDPOINT, "--nworkers", "2", "-p", "7104"], "--nworkers"),
        ("worker", ["-s", ENDPOINT, "--phy-mem", "4g", "--mem-bytes", "4g"], "--phy-mem"),
        ("worker", ["-s", ENDPOINT, "--mem-bytes", "4g", "--memory-limit", "5g"], "--memory-limit"),
        ("worker", ["-s", ENDPOINT, "--mem-bytes", "1g", "--cache-mem", "2g"], "--cache-mem"),
        ("worker", ["-s", ENDPOINT, "--log-conf", __file__, "--log-level", "info"], "--log-conf"),
        ("worker", ["-s", ENDPOINT, "surplus"], "surplus"),
        ("worker", ["-s", ENDPOINT, "--no-such-option"], "--no-such-option"),
        ("web", ["-s", "http://h:1/path"], "--schedulers"),
        ("web", ["-s", ENDPOINT, "--preload", "json"], "--preload"),
    ],
)  # fmt: skip
def test_options_that_contradict_are_named(plans, command, words, named):
    done = call(command, *words)
    assert done.exit_code == 2, done.output
    assert named in done.output
    assert not plans


@pytest.mark.parametrize("command", COMMANDS)
def test_the_version(plans, command):
    assert call(command, "--version").output == f"marsdask, version {marsdask.__version__}\n"
    assert not plans


def test_options_without_effect_are_not_suggested():
    assert "--nproc" not in call("supervisor", "--nope").output
    assert "--n-worker" in call("supervisor", "--n-workers", "3").output


# Options of Dask's own commands that ours do not take, and why.
LEFT_OUT = {
    "supervisor": {
        "--protocol": "tls with certificates, else tcp and, on the web port, ws",
        "--show": "deprecated by Dask, without effect",
        "--use-xheaders": "deprecated by Dask, without effect",
    },
    "worker": {"--dashboard-prefix": "deprecated by Dask, without effect"},
}


@pytest.mark.parametrize(("command", "module"), [("supervisor", "dask_scheduler"), ("worker", "dask_worker")])
def test_every_option_of_dask_is_taken_or_left_out_for_a_reason(command, module):
    theirs = __import__(f"distributed.cli.{module}", fromlist=["main"]).main
    ours = names_of(COMMANDS[command].main)
    missing = {o.opts[0] for o in theirs.params if isinstance(o, click.Option) and not {*o.opts} & ours}
    assert missing == set(LEFT_OUT[command])


def names_of(command: click.Command) -> set[str]:
    return {
        name for p in command.params if isinstance(p, click.Option) for name in (*p.opts, *p.secondary_opts)
    }


MARS = {
    "supervisor": "-a --advertise -H --host -p --port -e --endpoint -w --web-port -s --schedulers --supervisors -k --kv-store "
    "-c --config -f --config-file -D --log-level --log-format --level --format --log-conf --load-modules --use-uvloop "
    "--nproc --n-process --disable-failover",
    "worker": "-a --advertise -H --host -p --port -e --endpoint -s --schedulers --supervisors -k --kv-store -c --config -f "
    "--config-file -D --log-level --log-format --level --format --log-conf --load-modules --use-uvloop --cpu-procs --n-cpu "
    "--phy-mem --mem-bytes --net-procs --io-procs --n-io-process --cuda-device --cuda-devices --cache-mem --min-mem "
    "--min-cache-mem --spill-dir --io-parallel-num --plasma-dir --plasma-limit --disk-compression --transfer-compression "
    "--ignore-avail-mem --write-shuffle-to-disk --disable-proc-recover",
    "web": "-a --advertise -H --host -p --port -e --endpoint -s --schedulers --ui-port -k --log-level --log-format --log-conf",
}


@pytest.mark.parametrize("command", MARS)
def test_every_option_of_mars_is_known(command):
    assert set(MARS[command].split()) - names_of(COMMANDS[command].main) == set()


PAGE = Path(__file__).parent.parent.parent / "docs" / "clusters.md"


def test_the_page_tells_every_option_and_no_other():
    """docs/clusters.md: all of Mars's, all that pass to Dask, ours; so that it does not go stale."""
    told = set(re.findall(r"(?<![-\w])--[a-z][-a-z]+", PAGE.read_text())) - {"--help"}
    ours = {name for module in COMMANDS.values() for name in names_of(module.main) if name.startswith("--")}
    assert told - ours == set()
    # Said once, in another spelling; or what --no-... switches off.
    spelled = {"--worker-port", "--nthreads", "--memory-limit", "--spill-dirs"}
    assert {name for name in ours - told - spelled if not name.startswith("--no-")} == set()


def test_uvloop_is_asked_for_by_name(plans, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "uvloop", None)  # as if it were not installed
    assert "marsdask[uvloop]" in call("worker", "-s", ENDPOINT, "--use-uvloop", "yes").output
    plan_of(plans, "worker", "-s", ENDPOINT)
    assert dask.config.get("distributed.admin.event-loop") == "tornado"
    monkeypatch.setitem(__import__("sys").modules, "uvloop", SimpleNamespace())
    plan_of(plans, "worker", "-s", ENDPOINT, "--use-uvloop", "1")
    assert dask.config.get("distributed.admin.event-loop") == "uvloop"
    plan_of(plans, "worker", "-s", ENDPOINT, "--use-uvloop", "0")
    assert dask.config.get("distributed.admin.event-loop") == "tornado"
