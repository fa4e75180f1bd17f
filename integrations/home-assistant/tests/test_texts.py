# SPDX-License-Identifier: Apache-2.0
"""Texts and manifest hold together."""

import json
import pathlib
import re
import subprocess

import yaml

from custom_components.tonearm.services import FIELDS

PLACE = pathlib.Path(__file__).parents[1] / "custom_components" / "tonearm"


def test_the_translation_is_the_text() -> None:
    assert json.loads((PLACE / "strings.json").read_text()) == json.loads((PLACE / "translations/en.json").read_text())


def test_every_error_has_a_text() -> None:
    source = "".join(path.read_text() for path in PLACE.glob("*.py"))
    used = set(re.findall(r'translation_key="(\w+)"', source)) | {"no_answer", "refused"}
    texts = json.loads((PLACE / "strings.json").read_text())["exceptions"]
    assert used == set(texts)


def test_every_service_has_text_icon_and_fields() -> None:
    texts = json.loads((PLACE / "strings.json").read_text())["services"]
    described = yaml.safe_load((PLACE / "services.yaml").read_text())
    icons = json.loads((PLACE / "icons.json").read_text())["services"]
    assert set(texts) == set(described) == set(icons) == set(FIELDS)
    for name, fields in FIELDS.items():
        names = {str(field) for field in fields}
        assert names == set(described[name].get("fields", {})) == set(texts[name].get("fields", {})), name


def test_the_tree_for_hacs(tmp_path: pathlib.Path) -> None:
    subprocess.run([PLACE.parents[1] / "make-hacs-tree", tmp_path], check=True)
    assert {path.name for path in tmp_path.iterdir()} == {"custom_components", "hacs.json", "README.md", "LICENSE"}
    assert (tmp_path / "custom_components/tonearm/translations/en.json").exists()
    assert not list(tmp_path.rglob("__pycache__"))


def test_the_manifest_is_complete() -> None:
    manifest = json.loads((PLACE / "manifest.json").read_text())
    assert manifest["domain"] == "tonearm" and manifest["version"]
    assert manifest["integration_type"] == "hub" and manifest["iot_class"] == "local_push"
    assert manifest["requirements"] == []
