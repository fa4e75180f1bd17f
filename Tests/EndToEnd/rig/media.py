# SPDX-License-Identifier: Apache-2.0
"""Test music, made by lame, ffmpeg and numpy: nothing of it is stored."""

import functools
import pathlib
import shutil
import struct
import subprocess
import zlib

import numpy

from .kept import copy_kept
from .signals import reference_decode, write_wave

RATE = 44100


class Media:
    """A music root with files of known content. `path(name)` gives a file, its name is also its uri."""

    def __init__(self, directory: pathlib.Path):
        self._settle(directory)
        copy_kept("media", directory, self._make)
        self._settle(directory)

    def _settle(self, directory: pathlib.Path) -> None:
        self.root, self.scratch = directory / "music", directory / "scratch"
        names = ("noise", "long-noise", "low", "chirp")
        self.noise_wave, self.long_noise_wave, self.low_wave, self.chirp_wave = (self.scratch / f"{name}.wav" for name in names)
        self.cover = self._png(64, 64)

    def _make(self, directory: pathlib.Path) -> None:
        self._settle(directory)
        self.root.mkdir()
        self.scratch.mkdir()
        self._make_material()
        self._make_encodings()
        self._make_tagged()
        self._make_broken()
        self._make_gapless_pair()

    def path(self, name: str) -> pathlib.Path:
        return self.root / name

    @functools.lru_cache
    def reference(self, name: str) -> numpy.ndarray:
        """The file's sound as decoded by `mpg123 -w`."""
        copy = self.scratch / pathlib.Path(name).name
        shutil.copy(self.path(name), copy)
        return reference_decode(copy)

    # Material

    def _wave(self, name: str, samples: numpy.ndarray, rate: int = RATE) -> pathlib.Path:
        return write_wave(self.scratch / f"{name}.wav", samples, rate)

    def _lame(self, source: pathlib.Path, target: str, *options: str) -> pathlib.Path:
        path = self.path(target)
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["lame", "--quiet", *options, str(source), str(path)], check=True)
        return path

    def _ffmpeg(self, *arguments: str) -> None:
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *arguments], check=True)

    def _make_material(self) -> None:
        random = numpy.random.default_rng(20)
        self._wave("noise", self._noise(random, 2))
        self._wave("long-noise", self._noise(random, 40))
        self._wave("low", self._stereo(self._sine(220, 20, 0.5)))
        self._wave("chirp", self._stereo(self._chirp(30)))
        self.short_waves = [self._wave(f"short-{n}", self._noise(random, 0.6)) for n in range(4)]

    @staticmethod
    def _stereo(mono: numpy.ndarray) -> numpy.ndarray:
        return numpy.stack([mono, mono], axis=1)

    @staticmethod
    def _sine(frequency: float, seconds: float, amplitude: float = 0.5, rate: int = RATE) -> numpy.ndarray:
        return amplitude * numpy.sin(2 * numpy.pi * frequency * numpy.arange(round(seconds * rate)) / rate)

    @staticmethod
    def _noise(random: numpy.random.Generator, seconds: float, amplitude: float = 0.2) -> numpy.ndarray:
        """Band-limited, so that MPEG coding keeps its shape; the channels differ."""
        white = random.standard_normal((round(seconds * RATE), 2))
        spectrum = numpy.fft.rfft(white, axis=0)
        spectrum[int(len(spectrum) * 0.5) :] = 0
        band = numpy.fft.irfft(spectrum, len(white), axis=0)
        return band / numpy.abs(band).max() * min(1, amplitude * 4)

    @staticmethod
    def _chirp(seconds: float) -> numpy.ndarray:
        """Frequency rises linearly from 200 Hz by 200 Hz a second: the pitch tells the position."""
        time = numpy.arange(round(seconds * RATE)) / RATE
        return 0.5 * numpy.sin(2 * numpy.pi * (200 * time + 100 * time**2))

    # Encodings

    def _make_encodings(self) -> None:
        self._lame(self.noise_wave, "noise.mp3", "-b", "192")
        self._lame(self.noise_wave, "noise-128.mp3", "-b", "128")
        self._lame(self.noise_wave, "noise-160.mp3", "-b", "160")
        self._lame(self.noise_wave, "noise-320.mp3", "-b", "320")
        self._lame(self.noise_wave, "noise-vbr.mp3", "-V", "2")
        self._lame(self.noise_wave, "noise-vbr-noxing.mp3", "-V", "2", "-t")
        self._lame(self.long_noise_wave, "long.mp3", "-b", "192")
        self._lame(self.chirp_wave, "chirp.mp3", "-b", "192")
        self._lame(self._wave("changing", self._changing(40)), "vbr-noxing-long.mp3", "-V", "4", "-t")
        self._lame(self.low_wave, "low.mp3", "-b", "192")
        self._lame(self.noise_wave, "noise-mono.mp3", "-m", "m", "-b", "96")
        for number, wave in enumerate(self.short_waves):
            self._lame(wave, f"short-{number}.mp3", "-b", "192")
        self._lame(self._wave("click", self._clicks(1.0, [0.0])), "click.mp3", "-b", "320")
        self._lame(self._wave("tone-22", self._stereo(self._sine(1000, 3, rate=22050)), 22050), "tone-22050.mp3", "-b", "128")
        self._lame(self._wave("tone-48", self._stereo(self._sine(1000, 3, rate=48000)), 48000), "tone-48000.mp3", "-b", "192")
        self._lame(self._wave("tone-8", self._stereo(self._sine(1000, 3, rate=8000)), 8000), "tone-8000.mp3", "-b", "64")
        self._ffmpeg("-i", str(self.noise_wave), "-c:a", "mp2", "-b:a", "192k", str(self.path("noise.mp2")))
        self._lame(self._wave("left", numpy.stack([self._sine(440, 4), 0 * self._sine(440, 4)], axis=1)), "left.mp3", "-b", "192")

    def _changing(self, seconds: float) -> numpy.ndarray:
        """Quiet tone, then noise: the bit rate of the beginning does not tell the length."""
        random = numpy.random.default_rng(7)
        noise = self._noise(random, seconds / 2, 0.2)
        return numpy.concatenate([self._stereo(self._sine(300, seconds / 2, 0.1)), noise])

    @staticmethod
    def _clicks(seconds: float, moments: list[float]) -> numpy.ndarray:
        samples = numpy.zeros((round(seconds * RATE), 2))
        for moment in moments:
            start = round(moment * RATE)
            burst = numpy.hanning(64) * 0.8 * numpy.sign(numpy.sin(numpy.arange(64) * 0.4))
            samples[start : start + 64] += burst[:, None]
        return samples

    # Tags and names

    def _make_tagged(self) -> None:
        shutil.copy(self.path("short-0.mp3"), self.path("untagged.mp3"))
        cover = self.scratch / "cover.png"
        cover.write_bytes(self.cover)
        self._lame(self.short_waves[0], "tagged.mp3", "-b", "192", "--add-id3v2", "--tt", "The Title", "--ta", "The Artist",
                   "--tl", "The Album", "--tn", "3/12", "--ty", "1999", "--tg", "Jazz", "--ti", str(cover))
        plain = self.path("untagged.mp3").read_bytes()
        self.path("utf16.mp3").write_bytes(self._id3({"TIT2": "Ünïcode 標題", "TPE1": "劉若英"}, 1, "utf-16") + plain)
        self.path("gb18030.mp3").write_bytes(self._id3({"TIT2": "后来", "TPE1": "劉若英"}, 0, "gb18030") + plain)
        for name in ("The New Look.mp3", "劉若英.mp3", "100% of it.mp3", "%20.mp3", "a+b&c=d#e?.mp3"):
            shutil.copy(self.path("short-1.mp3"), self.path(name))
        folder = self.path("A Folder/子")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.path("short-2.mp3"), folder / "deep.mp3")

    @staticmethod
    def _id3(frames: dict[str, str], encoding_byte: int, codec: str) -> bytes:
        """An ID3v2.3 tag with text frames in the given coding."""
        body = b""
        for name, text in frames.items():
            content = bytes([encoding_byte]) + text.encode(codec)
            body += name.encode() + struct.pack(">IH", len(content), 0) + content
        size = bytes((len(body) >> shift) & 0x7F for shift in (21, 14, 7, 0))
        return b"ID3\x03\x00\x00" + size + body

    @staticmethod
    def _png(width: int, height: int) -> bytes:
        def chunk(kind: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        rows = b"".join(b"\0" + bytes((x * 4, y * 4, 128) [c] for x in range(width) for c in range(3)) for y in range(height))
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")

    # Broken ones

    def _make_broken(self) -> None:
        whole = self.path("noise-128.mp3").read_bytes()
        self.path("empty.mp3").write_bytes(b"")
        self.path("truncated.mp3").write_bytes(whole[: len(whole) // 3 + 77])
        self.path("picture.mp3").write_bytes(self.cover)
        self.path("text.mp3").write_text("This is a letter, not music.\n" * 200)
        self.path("directory.mp3").mkdir(exist_ok=True)
        constant = self._lame(self.noise_wave, "noise-128-bare.mp3", "-b", "128", "-t", "--nores").read_bytes()
        size = 144 * 128000 // RATE
        self.path("one-frame.mp3").write_bytes(constant[: size + (constant[2] >> 1 & 1)])
        self.path("zero-frames.mp3").write_bytes(self._id3({"TIT2": "Only a tag"}, 0, "latin-1"))
        garbage = numpy.random.default_rng(3).integers(0, 256, 4096, dtype=numpy.uint8).tobytes()
        middle = len(whole) // 2
        self.path("garbage.mp3").write_bytes(whole[:middle] + garbage + whole[middle:])

    # Gapless

    def _make_gapless_pair(self) -> None:
        """One sine split in the middle of a period, each half encoded on its own."""
        tone = self._sine(441, 4, 0.5)
        cut = 2 * RATE + 37
        self._lame(self._wave("gapless-a", self._stereo(tone[:cut])), "gapless-a.mp3", "-b", "256")
        self._lame(self._wave("gapless-b", self._stereo(tone[cut:])), "gapless-b.mp3", "-b", "256")
