# SPDX-License-Identifier: Apache-2.0
"""The same music in every format that the media worker plays, made by ffmpeg (DSD by hand: it has no encoder)."""

import pathlib
import shutil
import struct
import subprocess
from dataclasses import dataclass

import numpy

from .kept import copy_kept
from .media import Media


@dataclass(frozen=True)
class Format:
    name: str
    options: tuple[str, ...] = ()
    is_lossless: bool = False
    rate: int = 44100
    # Allowed difference after a seek in dB: AC-3 fills gaps with noise, which depends on the start of decoding.
    seek_noise: float = -60
    # Seconds by which its headers may be off.
    length_error: float = 0.1

    def __str__(self) -> str:
        return self.name


AAC = ("-c:a", "aac", "-b:a", "160k", "-aac_pns", "0")

FORMATS = [
    Format("a.flac", is_lossless=True), Format("b-alac.m4a", ("-c:a", "alac"), True), Format("c.wav", is_lossless=True),
    Format("d.aiff", is_lossless=True), Format("e.caf", is_lossless=True), Format("f.wv", is_lossless=True),
    Format("g.w64", is_lossless=True), Format("h.tta", is_lossless=True), Format("i.oga", ("-c:a", "flac"), True),
    Format("j.mkv", ("-c:a", "flac"), True), Format("k-alac.caf", ("-c:a", "alac"), True),
    Format("l.m4a", (*AAC, "-movflags", "+faststart")), Format("m-moov-last.mp4", AAC), Format("n.mov", AAC), Format("o.3gp", AAC),
    Format("p.m4v", ("-f", "mp4", *AAC)), Format("q.aac", AAC), Format("r.mkv", AAC), Format("s.ogg", ("-c:a", "libvorbis")),
    Format("t.webm", ("-c:a", "libvorbis")), Format("u.wma", ("-c:a", "wmav2", "-b:a", "160k")),
    Format("v-mp3.mp4", ("-c:a", "libmp3lame", "-b:a", "160k")),
    Format("w.opus", ("-c:a", "libopus", "-b:a", "128k"), rate=48000), Format("x.webm", ("-c:a", "libopus", "-b:a", "128k"), rate=48000),
    # Row 270. Nothing free makes TAK and DST.
    Format("aa.ac3", ("-c:a", "ac3", "-b:a", "256k"), seek_noise=-30), Format("ab.eac3", ("-c:a", "eac3", "-b:a", "256k"), seek_noise=-30),
    Format("ac-ac3.mka", ("-c:a", "ac3", "-b:a", "256k"), seek_noise=-30), Format("ad-ac3.mp4", ("-c:a", "ac3", "-b:a", "256k"), seek_noise=-30),
    Format("ae.dts", ("-c:a", "dca", "-strict", "-2")), Format("af-dts.mka", ("-c:a", "dca", "-strict", "-2")),
    Format("ag.spx", ("-c:a", "libspeex", "-ar", "32000"), rate=32000),
    Format("ah.aifc", ("-c:a", "pcm_s16le"), True), Format("ai-alaw.aifc", ("-c:a", "pcm_alaw")),
    # Made of two chirps by Debian's libjmac-java (`jmac c3`), which needs a Java machine: 2 s in two frames.
    Format("ak.ape", is_lossless=True),
]
if shutil.which("mpcenc"):
    # Counted in blocks of 18,432 frames by FFmpeg.
    FORMATS.append(Format("aj.mpc", length_error=0.45))


class Formats:
    """Files in `formats/` of the music root."""

    def __init__(self, media: Media):
        self.media = media
        self.folder = copy_kept("formats", media.root / "formats", self._make)

    def _make(self, folder: pathlib.Path) -> None:
        self.folder, media = folder, self.media
        for format in FORMATS:
            self.make(format.name, "-i", str(media.noise_wave), *format.options)
        self.make("long.flac", "-i", str(media.chirp_wave))
        self.make("long.m4a", "-i", str(media.chirp_wave), *AAC)
        tone = media._sine(441, 4, 0.5)
        cut = 2 * 44100 + 37
        for name, part in (("gapless-a", tone[:cut]), ("gapless-b", tone[cut:])):
            self.make(f"{name}.flac", "-i", str(media._wave(f"{name}-flac", media._stereo(part))))
        bits = dsd(media._sine(1000, 1.0, 0.4, rate=44100 * 64))
        (self.folder / "y.dsf").write_bytes(dsf(bits))
        (self.folder / "z.dff").write_bytes(dff(bits))
        (self.folder / "cut.flac").write_bytes(self.path("a.flac").read_bytes()[:100_000])

    def make(self, name: str, *arguments: str) -> pathlib.Path:
        if name.endswith(".ape"):
            return pathlib.Path(shutil.copy(pathlib.Path(__file__).with_name("chirp.ape"), self.path(name)))
        if name.endswith(".mpc"):
            subprocess.run(["mpcenc", "--overwrite", "--silent", str(self.media.noise_wave), str(self.path(name))], check=True)
            return self.path(name)
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *arguments, str(self.path(name))], check=True)
        return self.path(name)

    def path(self, name: str) -> pathlib.Path:
        return self.folder / name

    def uri(self, name: str) -> str:
        return f"formats/{name}"

    def reference(self, name: str, seconds: float | None = None) -> numpy.ndarray:
        """ffmpeg's decode as floats in units of a 16-bit step, cut to `seconds`: where containers tell of padding behind the
        end, ffmpeg keeps it."""
        raw = subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(self.path(name)), "-map", "0:a:0", "-f", "f32le",
                              "-"], check=True, capture_output=True).stdout
        samples = numpy.frombuffer(raw, dtype="<f4").reshape(-1, self.channels(name)) * 32768.0
        return samples if seconds is None else samples[: round(seconds * 44100)]

    def channels(self, name: str) -> int:
        text = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries", "stream=channels", "-of",
                               "csv=p=0", str(self.path(name))], check=True, capture_output=True, text=True).stdout
        return int(text.split()[0].strip(","))


def dsd(samples: numpy.ndarray) -> bytes:
    """One channel of bits, the first in time first, by a first-order modulator."""
    integral = numpy.floor(numpy.cumsum((samples + 1) / 2))
    return numpy.packbits(numpy.diff(integral, prepend=0).astype(numpy.uint8)).tobytes()


def dsf(bits: bytes) -> bytes:
    """Two equal channels; blocks of 4,096 bytes, the first bit in the lowest place."""
    lowest = numpy.packbits(numpy.unpackbits(numpy.frombuffer(bits, numpy.uint8)).reshape(-1, 8)[:, ::-1]).tobytes()
    blocks = [lowest[start:start + 4096].ljust(4096, b"\x69") for start in range(0, len(lowest), 4096)]
    data = b"".join(block * 2 for block in blocks)
    form = b"fmt " + struct.pack("<QIIIIIIQII", 52, 1, 0, 2, 2, 44100 * 64, 1, len(bits) * 8, 4096, 0)
    head = b"DSD " + struct.pack("<QQQ", 28, 28 + 52 + 12 + len(data), 0)
    return head + form + b"data" + struct.pack("<Q", 12 + len(data)) + data


def dff(bits: bytes) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return name + struct.pack(">Q", len(body)) + body

    data = numpy.repeat(numpy.frombuffer(bits, numpy.uint8), 2).tobytes()
    properties = b"SND " + chunk(b"FS  ", struct.pack(">I", 44100 * 64)) + chunk(
        b"CHNL", struct.pack(">H", 2) + b"SLFTSRGT") + chunk(b"CMPR", b"DSD \x0enot compressed\0")
    return chunk(b"FRM8", b"DSD " + chunk(b"FVER", b"\x01\x05\0\0") + chunk(b"PROP", properties) + chunk(b"DSD ", data))
