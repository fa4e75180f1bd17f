# SPDX-License-Identifier: Apache-2.0
"""nginx, as files are really served: over HTTP and TLS with a private authority, and as a proxy."""

import contextlib
import pathlib
import random
import socket
import subprocess

from .opened import opened
from .waiting import eventually


def free_ports(count: int) -> list[int]:
    """All different. Below the ports that the kernel gives to clients: before the server listens, one of those could be taken, even by the client
    that looks whether it listens, which would then be connected to itself."""
    ports: list[int] = []
    with contextlib.ExitStack() as held:
        while len(ports) < count:
            port = random.randrange(20_000, 32_768)
            with contextlib.suppress(OSError):
                held.enter_context(socket.create_server(("127.0.0.1", port)))
                ports.append(port)
    return ports


class Nginx:
    CONFIGURATION = """
daemon off; master_process off; pid {home}/nginx.pid; error_log {home}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log {home}/access.log;
  types {{ audio/mpeg mp3; }}
  client_body_temp_path {home}/t1; proxy_temp_path {home}/t2; fastcgi_temp_path {home}/t3; uwsgi_temp_path {home}/t4;
  scgi_temp_path {home}/t5;
  server {{ listen 127.0.0.1:{plain}; root {root}; location /moved/ {{ return 302 https://localhost:{secure}/; }}
    location /slow/ {{ alias {root}/; limit_rate 120k; }} }}
  server {{ listen 127.0.0.1:{secure} ssl; server_name localhost; root {root};
    ssl_certificate {home}/server.pem; ssl_certificate_key {home}/server.key; }}
  server {{ listen 127.0.0.1:{proxy}; resolver 127.0.0.1; location / {{ proxy_pass http://127.0.0.1:{plain}$uri; add_header X-By proxy; }} }}
}}
"""

    def __init__(self, home: pathlib.Path, root: pathlib.Path):
        self.home = home
        home.mkdir()
        self._certificates()
        # Last: until nginx listens, another worker's could take them.
        self.plain, self.secure, self.proxy = free_ports(3)
        configuration = home / "nginx.conf"
        configuration.write_text(
            self.CONFIGURATION.format(home=home, root=root, plain=self.plain, secure=self.secure, proxy=self.proxy))
        self.process = subprocess.Popen(
            ["nginx", "-e", str(home / "error.log"), "-p", str(home), "-c", str(configuration)], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=(home / "stderr.log").open("wb"))
        opened.append(self)
        eventually(self._answers, "nginx listens", 10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.plain}"

    @property
    def secure_url(self) -> str:
        return f"https://localhost:{self.secure}"

    @property
    def authority(self) -> pathlib.Path:
        return self.home / "authority.pem"

    def access_log(self) -> str:
        return (self.home / "access.log").read_text()

    def _answers(self) -> bool:
        assert self.process.poll() is None, (self.home / "stderr.log").read_text()
        try:
            for port in (self.plain, self.secure, self.proxy):
                socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            return False

    def _certificates(self) -> None:
        def run(*arguments: str) -> None:
            subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=self.home)

        run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "authority.key", "-out", "authority.pem", "-days", "2",
            "-subj", "/CN=Test authority")
        run("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
        (self.home / "extensions").write_text("subjectAltName=DNS:localhost\n")
        run("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial", "-days", "2",
            "-extfile", "extensions", "-out", "server.pem")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
