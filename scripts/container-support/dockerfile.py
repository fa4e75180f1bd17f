# SPDX-License-Identifier: Apache-2.0
"""Parses the last stage of our Dockerfile. Accepts only the instructions and forms that it uses."""

import json
import pathlib
import re
import shlex
from dataclasses import dataclass, field


class Unknown(Exception):
    """The Dockerfile uses something that this parser does not support."""


@dataclass
class Copy:
    stage: str | None
    sources: list[str]
    target: str


@dataclass
class Image:
    suite: str = ""
    packages: list[str] = field(default_factory=list)
    # Copies, and shell commands other than apt's, in order.
    steps: list[str | Copy] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    user: str = "root"
    volumes: list[str] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health_check: list[str] = field(default_factory=list)


def instructions(text: str):
    text = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))
    for line in re.sub(r"\\\n", " ", text).split("\n"):
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name.upper(), rest.strip()


def last_stage(path: pathlib.Path) -> Image:
    image = Image()
    for name, rest in instructions(path.read_text()):
        match name:
            case "FROM":
                image = Image(suite=suite(rest))
            case "RUN":
                run(image, rest)
            case "COPY":
                image.steps.append(copy(rest))
            case "ENV":
                image.environment |= dict(word.split("=", 1) for word in shlex.split(rest))
            case "ARG":
                key, _, value = rest.partition("=")
                image.arguments[key] = value
            case "USER":
                image.user = rest
            case "VOLUME":
                image.volumes += json.loads(rest)
            case "ENTRYPOINT":
                image.entrypoint = json.loads(rest)
            case "CMD":
                image.command = json.loads(rest)
            case "HEALTHCHECK":
                image.health_check = json.loads(rest[rest.index("CMD ") + 4:])
            case "EXPOSE" | "WORKDIR":
                pass
            case _:
                raise Unknown(f"{name} {rest}")
    return image


def suite(image: str) -> str:
    match = re.fullmatch(r"debian:(\w+)(-slim)?", image)
    return match.group(1) if match else ""


def run(image: Image, line: str) -> None:
    own = []
    for command in (part.strip() for part in line.split("&&")):
        if match := re.search(r"apt-get install (.*)", command):
            image.packages += [word for word in match.group(1).split() if not word.startswith("-")]
        elif "apt-get" not in command and "/var/lib/apt/lists" not in command:
            own.append(command)
    if own:
        image.steps.append(" && ".join(own))


def copy(line: str) -> Copy:
    words = shlex.split(line)
    stage = None
    if words[0].startswith("--from="):
        stage = words.pop(0).removeprefix("--from=")
    if any(word.startswith("--") for word in words):
        raise Unknown(f"COPY {line}")
    return Copy(stage, words[:-1], words[-1])
