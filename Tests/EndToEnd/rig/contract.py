# SPDX-License-Identifier: Apache-2.0
"""asyncapi.yaml as a judge of events."""

import functools
import pathlib
from typing import Any

import jsonschema
import referencing
import referencing.jsonschema
import yaml


@functools.lru_cache
def read_yaml(text: str) -> Any:
    """By the loader in C: the other one takes seconds for openapi.yaml."""
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class EventContract:
    """Messages by the constant of their `type` member; the documents beside asyncapi.yaml may be referred to."""

    def __init__(self, path: pathlib.Path):
        registry = referencing.Registry()
        for file in path.parent.glob("*.yaml"):
            resource = referencing.Resource.from_contents(
                read_yaml(file.read_text()), default_specification=referencing.jsonschema.DRAFT202012)
            registry = registry.with_resource(f"http://contract/{file.name}", resource)
        self._document = read_yaml(path.read_text())
        self._validators: dict[str, jsonschema.Draft202012Validator] = {}
        for name in self._document["components"]["messages"]:
            pointer = f"http://contract/{path.name}#/components/messages/{name}/payload"
            validator = jsonschema.Draft202012Validator({"$ref": pointer}, registry=registry)
            for type in self._types(self._message(name).get("payload", {})):
                self._validators[type] = validator

    def _message(self, name: str) -> dict:
        return self._resolve(self._document["components"]["messages"][name])

    def _resolve(self, schema: dict) -> dict:
        while "$ref" in schema:
            target = self._document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            schema = target
        return schema

    def _types(self, schema: dict) -> list[str]:
        """Values that the payload's `type` member may have."""
        schema = self._resolve(schema)
        type = self._resolve(schema.get("properties", {}).get("type", {}))
        found = [type["const"]] if "const" in type else list(type.get("enum", []))
        for part in schema.get("allOf", []) + schema.get("oneOf", []) + schema.get("anyOf", []):
            found += self._types(part)
        return found

    @property
    def types(self) -> set[str]:
        return set(self._validators)

    def violations(self, message: dict) -> list[str]:
        validator = self._validators.get(message.get("type"))
        if validator is None:
            return [f"asyncapi.yaml has no message of type {message.get('type')!r}"]
        return [
            f"{message['type']} at /{'/'.join(str(part) for part in error.absolute_path)}: {error.message[:300]}"
            for error in validator.iter_errors(message)
        ]
