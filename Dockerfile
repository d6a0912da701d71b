# One image for schedulers, workers and the operator. `marsdask kubernetes image build` makes a directory with a wheel of the
# marsdask that is installed and the versions beside it, and calls this file on it; BASE must have the Python that they are for.
ARG BASE=python:3.11-slim

FROM ${BASE} AS packages
ARG PYTHON
RUN python3 -c 'import sys; found = "%d.%d" % sys.version_info[:2]; sys.exit(sys.argv[1] not in ("", found) and f"BASE has Python {found}, and {sys.argv[1]} is needed")' "${PYTHON}"
RUN python3 -m venv /opt/pip && python3 -m venv --without-pip /opt/marsdask
COPY requirements.txt /tmp/
# A package index behind an authority of one's own: both files are seen by this line only, and are not kept.
RUN --mount=type=secret,id=certificates,target=/tmp/certificates.pem --mount=type=secret,id=pip,target=/etc/pip.conf \
    if [ -s /tmp/certificates.pem ]; then export PIP_CERT=/tmp/certificates.pem; fi \
    && /opt/pip/bin/pip --python /opt/marsdask/bin/python install --no-cache-dir --no-deps -r /tmp/requirements.txt \
    && cd /opt/marsdask/lib/python3*/site-packages \
    && rm -rf numpy/_core/tests numpy/*/tests pandas/tests pyarrow/tests pyarrow/include tornado/test

FROM packages AS ours
COPY *.whl /tmp/
RUN pip() { /opt/pip/bin/pip --disable-pip-version-check --python /opt/marsdask/bin/python "$@"; } \
    && pip install --no-index --no-deps --prefix /opt/ours /tmp/*.whl \
    && pip install --no-index --no-deps /tmp/*.whl && pip check

FROM ${BASE}
RUN command -v tini >/dev/null \
    || (apt-get update -qq && apt-get install -qq --no-install-recommends tini && rm -rf /var/lib/apt/lists/*)
# Two layers: the large one changes with the versions only.
COPY --from=packages /opt/marsdask /opt/marsdask
COPY --from=ours /opt/ours /opt/marsdask
# Works as any user, also one that the system does not know, with a read-only root: nothing is written but below /tmp,
# which may be a volume.
ENV PATH=/opt/marsdask/bin:$PATH HOME=/tmp USER=marsdask LOGNAME=marsdask PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /tmp
ARG VERSIONS=unknown
LABEL marsdask.versions=${VERSIONS}
USER 10001:10001
# tini reaps what workers leave, and hands on signals: to the one process that the container's `args` start, which ends its own
# children. With -g a worker would end before its nanny could have it close.
ENTRYPOINT ["tini", "--"]
CMD ["marsdask", "--version"]
