# SPDX-License-Identifier: Apache-2.0
"""Texts and manifest hold together."""

import json
import pathlib
import re

PLACE = pathlib.Path(__file__).parents[1] / "custom_components" / "tonearm"


def test_the_translation_is_the_text() -> None:
    assert json.loads((PLACE / "strings.json").read_text()) == json.loads((PLACE / "translations/en.json").read_text())


def test_every_error_has_a_text() -> None:
    source = "".join(path.read_text() for path in PLACE.glob("*.py"))
    used = set(re.findall(r'translation_key="(\w+)"', source)) | {"no_answer", "refused"}
    texts = json.loads((PLACE / "strings.json").read_text())["exceptions"]
    assert used == set(texts)


def test_the_manifest_is_complete() -> None:
    manifest = json.loads((PLACE / "manifest.json").read_text())
    assert manifest["domain"] == "tonearm" and manifest["version"]
    assert manifest["integration_type"] == "hub" and manifest["iot_class"] == "local_push"
    assert manifest["requirements"] == []
