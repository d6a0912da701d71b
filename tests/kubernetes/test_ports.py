"""Every port of every pod and Service of a cluster, asked without a credential, from a pod elsewhere and from the node: refusals only."""

import json
import re
import subprocess
import sys
import urllib.request

import pytest

import marsdask.tensor as mt
from marsdask.engine.address import bearing
from marsdask.engine.workers import workers_of
from tests.kubernetes.clusters import PATIENCE, cluster, namespace, until
from tests.kubernetes.marsjobs import program

PATHS = [
    "/", "/health", "/status", "/workers", "/info/main/workers.html", "/info/logs/x.html", "/info/call-stacks/x.html", "/metrics",
    "/json/identity.json", "/sitemap.json", "/api/v1/retire_workers", "/api/v1/adaptive_target", "/api/v1/check_idle",
    "/marsdask/engine/address.json", "/statics/css/base.css", "/proxy/8789/127.0.0.1/status", "/status/ws",
]  # fmt: skip

ASKING = """
import http.client, json, socket, ssl

def asked(host, port, path, body=None):
    connection = http.client.HTTPConnection(host, port, timeout=20)
    try:
        connection.request("GET" if body is None else "POST", path, body)
        return str(connection.getresponse().status)
    except (OSError, http.client.HTTPException):
        return "no HTTP"
    finally:
        connection.close()

def greeted(host, port):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        plain = socket.create_connection((host, port), timeout=20)
        through = context.wrap_socket(plain)
    except OSError as error:
        return "TLS, refused" if "CERTIFICATE_REQUIRED" in str(error) else "no TLS"
    try:  # the server looks for a certificate once the client is done with its handshake
        through.send(bytes(16))
        return "TLS, talks" if through.recv(1) else "TLS, refused"
    except OSError:
        return "TLS, refused"
    finally:
        through.close()

for what, host, port in PLACES:
    answers = {}
    for path in PATHS:
        answers[path] = asked(host, port, path)
        if answers[path] == "no HTTP":
            break  # and so it is with the others, after the same wait
    answers["POST /api/v1/retire_workers"] = asked(host, port, "/api/v1/retire_workers", b'{"n": 1}')
    print(json.dumps([what, greeted(host, port), answers]))
"""


def places(api, made):
    """Every port, with where it is."""

    def here() -> list[int]:  # it travels by value
        found = set()
        for name in ("tcp", "tcp6"):
            with open(f"/proc/net/{name}", encoding="ascii") as table:
                rows = [line.split() for line in table][1:]
            for address, _, port in (row[1].rpartition(":") for row in rows if row[3] == "0A"):
                if address not in ("0100007F", "00000000000000000000000001000000"):  # loopback
                    found.add(int(port, 16))
        return sorted(found)

    client, found = made.session.engine.client, []
    ports = {"scheduler": client.run_on_scheduler(here), "worker": next(iter(client.run(here).values()))}
    for pod in api.pods(made.namespace, "dask.org/cluster-name"):
        role, status = pod["metadata"]["labels"]["dask.org/component"], pod["status"]
        named = {p["containerPort"]: p["name"] for c in pod["spec"]["containers"] for p in c["ports"]}
        assert {*named} <= {*ports[role]}
        found += [
            (f"{role} pod, {named.get(port, 'unnamed')}", status["podIP"], port) for port in ports[role]
        ]
    (node,) = api.listed(api.core.list_node)
    address = next(a["address"] for a in node["status"]["addresses"] if a["type"] == "InternalIP")
    for service in api.services(made.namespace, ""):
        for port in service["spec"]["ports"]:
            found.append((f"Service, {port['name']}", service["spec"]["clusterIP"], port["port"]))
            if "nodePort" in port:
                found.append((f"node, {port['name']}", address, port["nodePort"]))
    return found


@pytest.fixture(scope="module")
def made(api_client):
    with cluster(api_client) as found:
        assert int(mt.ones(10, chunk_size=5).sum().execute(session=found.session).fetch()) == 10
        yield found


@pytest.mark.parametrize("where", ["a pod in another namespace", "the node"])
def test_nothing_but_handshakes_and_refusals(api, made, where):
    text = f"PATHS = {PATHS}\nPLACES = {places(api, made)}\n{ASKING}"
    if where == "the node":
        done = subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, timeout=PATIENCE, check=True
        )
        said = done.stdout
    else:
        with namespace(api) as elsewhere:
            said = program(api, elsewhere, text)
    told = [json.loads(line) for line in said.splitlines()]
    assert len(told) >= 9
    for what, tls, answers in told:
        print(f"{what:32} {tls:12} {sorted(set(answers.values()))}")
        if "http-dashboard" in what:
            health = answers.pop("/health")
            assert (tls, health, {*answers.values()}) == ("no TLS", "200", {"401"}), what
        else:
            assert (tls, {*answers.values()}) == ("TLS, refused", {"no HTTP"}), what


def test_who_has_the_link_sees_the_pages_and_the_operator_asks(api, made):
    link = made.dashboard_link
    assert re.fullmatch(rf"{re.escape(made.endpoint)}/status\?token=[\w-]{{32}}", link)
    assert made.session.dashboard_link == link
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(link, timeout=PATIENCE) as page:
        assert page.url == f"{made.endpoint}/status", "without the token"
        assert "bokeh.min.js" in page.read().decode()
    metrics = urllib.request.Request(f"{made.endpoint}/metrics", headers=bearing(link.partition("token=")[2]))
    with urllib.request.urlopen(metrics, timeout=PATIENCE) as answer:
        assert "dask_scheduler_workers" in answer.read().decode()
    made.scale(2)
    made.wait_for_workers(2, timeout=PATIENCE)
    made.scale(1)
    until(lambda: len(workers_of(made.session.engine.client)) == 1)
    (pod,) = api.pods(made.namespace, "dask.org/component=scheduler")
    log = api.log(made.namespace, pod["metadata"]["name"], lines=1000)
    assert "Retire worker addresses (stimulus_id='retire-workers" in log, "the operator had it do so, by HTTP"
