"""The node's own authority, and what it signs. One administrator's certificate serves every component."""

import datetime
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = datetime.timedelta(days=1)


def write(folder: Path, node: str, service: str) -> None:
    """Put `ca`, `apiserver`, `admin`, `kubelet` (.crt, .key) and the service accounts' key pair into `folder`."""
    ca = key(folder / "ca.key")
    name = subject(CN="test-node")
    authority = sign(folder / "ca.crt", name, ca, name, ca, is_ca=True)
    names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"]
    for who, of, hosts in (
        ("apiserver", subject(CN="kube-apiserver"), [*names, "127.0.0.1", node, service]),
        ("admin", subject(O="system:masters", CN="admin"), []),
        ("kubelet", subject(CN="node"), ["node", node]),
    ):
        sign(folder / f"{who}.crt", of, key(folder / f"{who}.key"), authority.subject, ca, hosts)
    public = key(folder / "accounts.key").public_key()
    (folder / "accounts.pub").write_bytes(
        public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def key(path: Path) -> rsa.RSAPrivateKey:
    """A new private key, written to `path` for its owner only."""
    new = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    path.touch(0o600)
    path.write_bytes(
        new.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )
    return new


def usage(*, is_ca: bool) -> x509.KeyUsage:
    """What a key is for: an authority signs certificates, all others speak TLS."""
    unused = dict.fromkeys(
        ("content_commitment", "data_encipherment", "key_agreement", "encipher_only", "decipher_only"), False
    )
    return x509.KeyUsage(
        digital_signature=True, key_encipherment=not is_ca, key_cert_sign=is_ca, crl_sign=is_ca, **unused
    )


def subject(**parts: str) -> x509.Name:
    kinds = {"CN": NameOID.COMMON_NAME, "O": NameOID.ORGANIZATION_NAME}
    return x509.Name([x509.NameAttribute(kinds[kind], value) for kind, value in parts.items()])


def sign(
    path: Path,
    of: x509.Name,
    own: rsa.RSAPrivateKey,
    issuer: x509.Name,
    ca: rsa.RSAPrivateKey,
    hosts: list[str] | None = None,
    *,
    is_ca: bool = False,
) -> x509.Certificate:
    """A certificate, written to `path`."""
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder(
            issuer, of, own.public_key(), x509.random_serial_number(), now - DAY, now + 30 * DAY
        )
        .add_extension(x509.BasicConstraints(is_ca, None), critical=True)
        # Python 3.13 asks for the three that follow.
        .add_extension(usage(is_ca=is_ca), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(own.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca.public_key()), critical=False)
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]),
            critical=False,
        )
    )
    if hosts:
        names: list[x509.GeneralName] = [
            x509.IPAddress(ip_address(host)) if host[0].isdigit() else x509.DNSName(host) for host in hosts
        ]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    signed = builder.sign(ca, hashes.SHA256())
    path.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    return signed
