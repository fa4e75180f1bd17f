# SPDX-License-Identifier: Apache-2.0
"""Large music collections, made quickly: one encoded sound behind many tags."""

import pathlib
import struct
import subprocess

import numpy

from .signals import write_wave


def frame(name: str, content: bytes) -> bytes:
    return name.encode() + struct.pack(">I", len(content)) + b"\0\0" + content


def text(name: str, value: str) -> bytes:
    """UTF-16 with a byte order mark: what most taggers write into ID3v2.3."""
    return frame(name, b"\x01" + value.encode("utf-16"))


def picture(data: bytes) -> bytes:
    return frame("APIC", b"\0image/png\0\x03\0" + data)


def tag(*frames: bytes) -> bytes:
    body = b"".join(frames)
    size = bytes((len(body) >> shift) & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x03\0\0" + size + body


def sound(scratch: pathlib.Path, seconds: float = 1.0) -> bytes:
    """A short MP3 without tags."""
    time = numpy.arange(round(seconds * 44100)) / 44100
    wave = write_wave(scratch / "sound.wav", 0.3 * numpy.sin(2 * numpy.pi * 440 * time)[:, None].repeat(2, axis=1))
    output = scratch / "sound.mp3"
    subprocess.run(["lame", "--quiet", "-b", "128", str(wave), str(output)], check=True)
    return output.read_bytes()


def make_collection(root: pathlib.Path, count: int, audio: bytes, cover: bytes = b"") -> None:
    """Artists with albums of ten tracks; every second album carries a picture in its tags when there is one."""
    genres = ("Rock", "Jazz", "Electronic", "流行", "Klassik")
    for number in range(count):
        album, track = divmod(number, 10)
        artist = album // 3
        folder = root / f"Artist {artist}" / f"Album {album}"
        if track == 0:
            folder.mkdir(parents=True, exist_ok=True)
        frames = [
            text("TIT2", f"Song number {number}"), text("TPE1", f"Artist {artist}"), text("TALB", f"Album {album}"),
            text("TRCK", f"{track + 1}/10"), text("TYER", str(1960 + album % 60)), text("TCON", genres[album % 5]),
        ]
        if cover and album % 2:
            frames.append(picture(cover))
        (folder / f"{track + 1:02} Song.mp3").write_bytes(tag(*frames) + audio)
