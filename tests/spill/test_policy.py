"""The memory policy: every spelling, every wrong value by name, every clamp said."""

import dask.config
import pytest

from marsdask.errors import ArgumentError, MarsDaskError
from marsdask.sizes import parse_amount, parse_quantity, parse_size
from marsdask.spill import MemoryPolicy

GB = 2**30


@pytest.mark.parametrize("text", ["16g", "16G", "16GB", "16gb", "16Gi", "16GiB", "16384m", " 16 g ", 16 * GB])
def test_sizes_are_powers_of_1024_however_written(text):
    assert parse_size(text, "size") == 16 * GB


@pytest.mark.parametrize(
    ("text", "share"), [("40%", 0.4), ("100%", 1.0), (0.4, 0.4), ("0.4", 0.4), ("62.5%", 0.625)]
)
def test_shares(text, share):
    assert parse_amount(text, "size") == share


WRONG = [
    "",
    " ",
    "abc",
    -5,
    "-1GB",
    0,
    "0",
    float("nan"),
    float("inf"),
    True,
    False,
    "140%",
    "0%",
    "-1%",
    "1e3",
    "1 2",
    "5x",
    b"1g",
    [1],
]


@pytest.mark.parametrize("value", WRONG)
def test_wrong_sizes_are_refused_by_name(value):
    for name in ("worker_mem", "worker_cache_mem", "worker_min_cache_mem"):
        with pytest.raises(ArgumentError, match=name):
            MemoryPolicy.of_new_cluster(**{name: value})
    for name in ("cache_mem", "phy_mem", "mem_bytes", "min_mem", "min_cache_mem", "spill_quota"):
        with pytest.raises(MarsDaskError, match="--" + name.replace("_", "-")):
            MemoryPolicy.of_options(**{name: value})
    with pytest.raises(ArgumentError, match=r"marsdask\.spill\.cache"):
        MemoryPolicy.of_config({"cache": value})


@pytest.mark.parametrize("value", ["10kB", 1000, "1m"])
def test_a_worker_of_no_use_is_refused(value):
    with pytest.raises(ArgumentError, match=r"worker_mem=.*expected 64 MiB or more"):
        MemoryPolicy.of_new_cluster(worker_mem=value)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1G", 10**9),
        ("1Gi", GB),
        ("1e3", 1000),
        ("1E", 10**18),
        ("1500m", 2),
        ("0.5Ki", 512),
        (128974848, 128974848),
        ("129M", 129_000_000),
        ("1k", 1000),
    ],
)
def test_quantities_are_kubernetes(text, size):
    assert parse_quantity(text, "memory") == size


@pytest.mark.parametrize("text", ["", "1GB", "1g", "Gi", "-1Gi", "0", True, None, "1 Gi"])
def test_wrong_quantities(text):
    with pytest.raises(ArgumentError, match="memory="):
        parse_quantity(text, "memory")


SPELLINGS = [
    (lambda v: MemoryPolicy.of_new_cluster(worker_spill_paths=v), "worker_spill_paths"),
    (lambda v: MemoryPolicy.of_options(spill_dir=v), "--spill-dir"),
    (lambda v: MemoryPolicy.of_environment({"MARS_SPILL_DIRS": v}), "MARS_SPILL_DIRS"),
    (lambda v: MemoryPolicy.of_config({"directories": v}), "marsdask.spill.directories"),
    (lambda v: MemoryPolicy.of_kubedl({"workerMemoryTuningPolicy": {"spillDirs": v}}), "spillDirs"),
]


@pytest.mark.parametrize(("read", "name"), SPELLINGS)
def test_directories_with_either_separator(read, name):
    assert read("/a,/b").directories == read("/a:/b/").directories == ("/a", "/b")
    with pytest.raises(ArgumentError, match=rf"{name}.*twice"):
        read("/a:/a/")
    with pytest.raises(ArgumentError, match=rf"{name}.*empty"):
        read("/a:,/b")


def test_directories_as_lists_and_volumes():
    class Volume:
        mount_path = "/mnt/hostpath0"

    assert MemoryPolicy.of_new_cluster(worker_spill_paths=["/a", Volume()]).directories == (
        "/a",
        "/mnt/hostpath0",
    )
    with pytest.raises(TypeError, match="worker_spill_paths"):
        MemoryPolicy.of_new_cluster(worker_spill_paths=[3])


@pytest.mark.parametrize(
    "policy",
    [
        MemoryPolicy.of_new_cluster(worker_mem="10g", worker_cache_mem="5g"),
        MemoryPolicy.of_new_cluster(worker_mem="10g", worker_cache_mem="50%"),
        MemoryPolicy.of_options(mem_bytes="10g", cache_mem="50%"),
        MemoryPolicy.of_options(phy_mem=10 * GB, cache_mem=5 * GB),
        MemoryPolicy.of_environment({"MARS_MEMORY_TOTAL": str(10 * GB), "MARS_CACHE_MEM_SIZE": str(5 * GB)}),
        MemoryPolicy.of_config({"memory-limit": "10g", "cache": "50%"}),
        MemoryPolicy.of_config({"memory_limit": "10g", "cache": 0.5}),
        MemoryPolicy.of_kubedl(
            {"workerMemoryTuningPolicy": {"workerCachePercentage": 50}}, {"requests": {"memory": "10Gi"}}
        ),
        MemoryPolicy.of_kubedl(
            {"memoryTuningPolicy": {"workerCacheSize": "5Gi"}}, {"limits": {"memory": "10Gi"}}
        ),
    ],
)
def test_the_cache_sets_the_target(policy):
    found = policy.thresholds()
    assert (found.target, found.spill, found.pause, found.terminate) == (0.5, 0.7, 0.8, 0.95)


@pytest.mark.parametrize(
    ("share", "target", "spill", "pause", "clamps"),
    [
        ("40%", 0.4, 0.7, 0.8, 0),
        ("75%", 0.75, 0.75, 0.8, 1),
        ("80%", 0.8, 0.8, 0.85, 2),
        ("100%", 0.85, 0.85, 0.9, 3),
    ],
)
def test_clamps_are_said(share, target, spill, pause, clamps):
    policy = MemoryPolicy.of_new_cluster(worker_mem="8g", worker_cache_mem=share)
    found = policy.thresholds()
    assert (found.target, found.spill, found.pause, found.terminate) == (target, spill, pause, 0.95)
    assert len(policy.notes) == clamps
    assert all("worker_cache_mem" in note for note in policy.notes)


def test_mars_quota_and_hard_limit():
    found = MemoryPolicy.of_options(mem_quota_size="75%", mem_hard_limit="90%").thresholds()
    assert (found.pause, found.terminate) == (0.75, 0.9)
    with pytest.raises(ArgumentError, match=r"--mem-quota-size='95%' and --mem-hard-limit='90%'"):
        MemoryPolicy.of_options(mem_quota_size="95%", mem_hard_limit="90%")
    kept = MemoryPolicy.of_options(cache_mem="80%", mem_quota_size="75%")
    assert (kept.thresholds().target, kept.thresholds().spill) == (0.7, 0.7)
    assert "--cache-mem" in kept.notes[0]
    low = MemoryPolicy.of_options(mem_quota_size="60%")
    assert (low.thresholds().target, low.thresholds().spill) == (0.55, 0.55)
    assert len(low.notes) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": 0.9},
        {"spill": 0.8},
        {"pause": 0.95},
        {"terminate": 0.5},
        {"target": -1},
        {"spill": "x"},
        {"pause": True},
        {"pause": 1.5},
    ],
)
def test_thresholds_out_of_order_are_refused_by_name(wrong):
    (name,) = wrong
    key = f"distributed.worker.memory.{name}"
    with dask.config.set({key: wrong[name]}), pytest.raises(ArgumentError, match=key):
        MemoryPolicy()


def test_thresholds_switched_off_stay_off():
    with dask.config.set(
        {"distributed.worker.memory.pause": False, "distributed.worker.memory.spill": False}
    ):
        found = MemoryPolicy.of_options(cache_mem="80%").thresholds()
    assert (found.target, found.spill, found.pause, found.terminate) == (0.8, False, False, 0.95)


def test_bytes_of_cache_wait_for_the_limit():
    policy = MemoryPolicy.of_options(cache_mem="1g")
    assert policy.thresholds().target == 0.6
    assert policy.thresholds(4 * GB).target == 0.25


def test_refusals_between_sizes():
    with pytest.raises(ArgumentError, match=r"worker_cache_mem='9g' is more than the worker's memory"):
        MemoryPolicy.of_new_cluster(worker_mem="8g", worker_cache_mem="9g")
    with pytest.raises(ArgumentError, match="worker_min_cache_mem='4g'"):
        MemoryPolicy.of_new_cluster(worker_mem="8g", worker_cache_mem="2g", worker_min_cache_mem="4g")
    with pytest.raises(ArgumentError, match="--min-mem='1g'"):
        MemoryPolicy.of_options(mem_bytes="512m", min_mem="1g")
    for ratio in (0.5, 0, -1, float("nan")):
        with pytest.raises(ArgumentError, match="worker_mem_limit_ratio"):
            MemoryPolicy.of_new_cluster(worker_mem="8g", worker_mem_limit_ratio=ratio)
    with pytest.raises(ArgumentError, match="worker_mem"):
        MemoryPolicy.of_new_cluster(worker_mem_limit_ratio=2)
    with pytest.raises(ArgumentError, match="one for each of the 2"):
        MemoryPolicy.of_config({"directories": "/a:/b", "quota": ["1g"]})


def test_resources_follow_the_ratio():
    policy = MemoryPolicy.of_new_cluster(worker_mem="8g", worker_mem_limit_ratio=1.5)
    assert policy.resources() == {"requests": {"memory": str(8 * GB)}, "limits": {"memory": str(12 * GB)}}
    assert MemoryPolicy().resources() == {}


class TestKubeDL:
    def test_both_names_at_once(self):
        with pytest.raises(ArgumentError, match=r"workerMemoryTuningPolicy and spec\.memoryTuningPolicy"):
            MemoryPolicy.of_kubedl({"workerMemoryTuningPolicy": {}, "memoryTuningPolicy": {}})

    def test_the_tutorials_name_is_noted(self):
        (note,) = MemoryPolicy.of_kubedl({"memoryTuningPolicy": {}}).notes
        assert "KubeDL itself drops it" in note

    @pytest.mark.parametrize("value", [0, 150, -1, "80", 0.8, True])
    def test_percentage(self, value):
        with pytest.raises(MarsDaskError, match="workerCachePercentage"):
            MemoryPolicy.of_kubedl({"workerMemoryTuningPolicy": {"workerCachePercentage": value}})

    def test_the_size_comes_first(self):
        policy = MemoryPolicy.of_kubedl(
            {
                "workerMemoryTuningPolicy": {
                    "workerCachePercentage": 50,
                    "workerCacheSize": "1Gi",
                    "plasmaStore": "/dev/shm",
                }
            },
            {"requests": {"memory": "4Gi"}, "limits": {"memory": "8Gi"}},
        )
        assert policy.cache == GB
        assert [note for note in policy.notes if "workerCachePercentage" in note]
        assert [note for note in policy.notes if "plasmaStore" in note]
        assert [note for note in policy.notes if "kernel" in note]

    def test_unknown_keys(self):
        with pytest.raises(TypeError, match="Did you mean 'spillDirs'"):
            MemoryPolicy.of_kubedl({"workerMemoryTuningPolicy": {"spillDir": ["/a"]}})

    def test_storage_is_shared_among_directories(self):
        policy = MemoryPolicy.of_kubedl(
            {"workerMemoryTuningPolicy": {"spillDirs": ["/a", "/b"]}},
            {"requests": {"ephemeral-storage": "2Gi"}},
        )
        assert policy.quotas == (GB, GB)
        assert policy.buffer_arguments(GB)["max_spill"] == 2 * GB

    def test_a_request_above_the_limit(self):
        with pytest.raises(ArgumentError, match=r"resources\.limits\.memory='1Gi' is below"):
            MemoryPolicy.of_kubedl({}, {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}})


def test_unknown_names_are_refused():
    with pytest.raises(
        TypeError, match=r"marsdask\.spill\.directoris is no memory option.*Did you mean 'directories'"
    ):
        MemoryPolicy.of_config({"directoris": "/a"})
    with pytest.raises(TypeError, match="--cache-memory"):
        MemoryPolicy.of_options(cache_memory="1g")
    with pytest.raises(ArgumentError, match="--phy-mem='1g' and --mem-bytes"):
        MemoryPolicy.of_options(phy_mem="1g", mem_bytes="1g")
    with dask.config.set({"marsdask.spill": 3}), pytest.raises(ArgumentError, match=r"marsdask\.spill=3"):
        MemoryPolicy.of_config()


def test_locks():
    read = [
        MemoryPolicy.of_environment({"MARS_LOCK_FREE_FILEIO": "0"}),
        MemoryPolicy.of_options(io_parallel_num="1"),
        MemoryPolicy.of_kubedl({"workerMemoryTuningPolicy": {"lockFreeFileIO": False}}),
    ]
    assert [p.lock_free for p in read] == [False] * 3
    assert MemoryPolicy.of_options(io_parallel_num=65536).lock_free is True
    assert MemoryPolicy().buffer_arguments(GB)["lock_free"] is True
    with pytest.raises(ArgumentError, match="MARS_LOCK_FREE_FILEIO='maybe'"):
        MemoryPolicy.of_environment({"MARS_LOCK_FREE_FILEIO": "maybe"})


def test_plasma_is_noted():
    assert "MARS_PLASMA_DIRS" in MemoryPolicy.of_environment({"MARS_PLASMA_DIRS": "/dev/shm"}).notes[0]
    assert "--plasma-limit" in MemoryPolicy.of_options(plasma_limit="1g").notes[0]


def test_an_empty_variable_says_nothing():
    assert MemoryPolicy.of_environment({"MARS_SPILL_DIRS": "", "MARS_MEMORY_TOTAL": "0"}) == MemoryPolicy()


def test_the_first_that_says_something_counts():
    given = MemoryPolicy.of_options(spill_dir="/a", cache_mem="50%")
    env = MemoryPolicy.of_environment({"MARS_SPILL_DIRS": "/b", "MARS_LOCK_FREE_FILEIO": "0"})
    config = MemoryPolicy.of_config({"directories": "/c", "quota": "1g", "placement": "most-free"})
    policy = MemoryPolicy.merged(given, config, env)
    assert (policy.directories, policy.quotas, policy.placement, policy.lock_free) == (
        ("/a",),
        (),
        "most-free",
        False,
    )
    assert "MARS_SPILL_DIRS='/b' is not used: --spill-dir='/a' comes first." in policy.notes
    assert MemoryPolicy.merged(given, MemoryPolicy.of_config({"quota": "1g"})).quotas == (GB,)


@pytest.mark.parametrize(
    "policy",
    [
        MemoryPolicy(),
        MemoryPolicy.of_options(cache_mem="70%", spill_dir="/a:/b", spill_quota="1g", io_parallel_num=1),
        MemoryPolicy.of_new_cluster(
            worker_mem="8g", worker_cache_mem="90%", worker_min_cache_mem="1g", worker_spill_paths="/a"
        ),
        MemoryPolicy.of_options(cache_mem="512m", mem_bytes="80%", min_mem="128m"),
        MemoryPolicy.of_config(
            {"directories": "/a:/b", "quota": ["1g", "2g"], "max-spill": False, "head-room": 0}
        ),
    ],
)
def test_what_is_written_is_read_again(policy):
    with dask.config.set(policy.to_dask_config()):
        again = MemoryPolicy.of_config()
    for limit in (GB, 10 * GB):
        assert again.buffer_arguments(limit) == policy.buffer_arguments(limit)
    env = policy.to_env()
    config = dask.config.collect_env({k: v for k, v in env.items() if k.startswith("DASK_")})
    with dask.config.set(distributed={"worker": {"memory": config["distributed"]["worker"]["memory"]}}):
        found = MemoryPolicy.of_config(config.get("marsdask", {}).get("spill", {}))
        assert found.buffer_arguments(10 * GB) == policy.buffer_arguments(10 * GB)
        assert found.thresholds(10 * GB).to_dask_config() == policy.thresholds(10 * GB).to_dask_config()
    mars = MemoryPolicy.of_environment(env)
    assert mars.directories == policy.directories


def test_volumes_of_a_pod():
    policy = MemoryPolicy.of_config({"directories": "/a:/b", "quota": "1g"})
    assert policy.volumes(mounted=("/b/",)) == {
        "volumes": [{"name": "spill-0", "emptyDir": {"sizeLimit": str(GB)}}],
        "volumeMounts": [{"name": "spill-0", "mountPath": "/a"}],
    }
    assert policy.volumes(on_host=True)["volumes"][1]["hostPath"] == {
        "path": "/b",
        "type": "DirectoryOrCreate",
    }
    with pytest.raises(ArgumentError, match="absolute"):
        MemoryPolicy.of_options(spill_dir="a").volumes()


def test_arguments_of_a_worker():
    policy = MemoryPolicy.of_options(mem_bytes="1g", spill_dir="/a:/b")
    assert policy.worker_arguments() == {"memory_limit": GB, "local_directory": "/a"}
    assert policy.command_line() == [
        "--worker-class", "marsdask.spill.MarsWorker", "--memory-limit", str(GB), "--local-directory", "/a",
    ]  # fmt: skip


def test_a_small_worker_keeps_less_for_python_itself_takes_some():
    policy = MemoryPolicy()
    assert policy.buffer_arguments(10 * GB, GB // 8)["target"] == 0.6
    assert round(policy.buffer_arguments(GB // 2, GB // 8)["target"], 2) == 0.45
    assert policy.buffer_arguments(GB // 8, GB // 8)["target"] == 0.1
    assert MemoryPolicy.of_options(cache_mem="5%").buffer_arguments(GB, GB // 8)["target"] == 0.05
