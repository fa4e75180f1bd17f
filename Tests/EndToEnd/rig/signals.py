# SPDX-License-Identifier: Apache-2.0
"""Comparing and measuring samples."""

import pathlib
import subprocess
import wave

import numpy


def read_wave(path: pathlib.Path) -> numpy.ndarray:
    """Frames of a 16-bit WAV file, shape (frames, channels)."""
    with wave.open(str(path)) as file:
        assert file.getsampwidth() == 2, "16-bit expected"
        data = numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        return data.reshape(-1, file.getnchannels())


def write_wave(path: pathlib.Path, samples: numpy.ndarray, rate: int = 44100) -> pathlib.Path:
    """Floats -1...1 of shape (frames,) or (frames, channels) as 16-bit WAV."""
    frames = numpy.atleast_2d(samples.T).T
    with wave.open(str(path), "wb") as file:
        file.setnchannels(frames.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(numpy.clip(numpy.round(frames * 32767), -32768, 32767).astype("<i2").tobytes())
    return path


def reference_decode(path: pathlib.Path) -> numpy.ndarray:
    """The file decoded by `mpg123 -w`: gapless, 16 bits."""
    output = path.with_name(path.name + ".reference.wav")
    if not output.exists():
        subprocess.run(["mpg123", "-q", "-w", str(output), str(path)], check=True, capture_output=True)
    return read_wave(output)


def align(capture: numpy.ndarray, reference: numpy.ndarray, channel: int = 0) -> int:
    """Where `reference` begins in `capture` (frames, may be negative), by cross-correlation. Needs noise-like audio."""
    left, right = capture[:, channel].astype(float), reference[:, channel].astype(float)
    size = 1 << (len(left) + len(right) - 1).bit_length()
    product = numpy.fft.irfft(numpy.fft.rfft(left, size) * numpy.conj(numpy.fft.rfft(right, size)), size)
    peak = int(numpy.argmax(product))
    return peak if peak < len(left) else peak - size


def largest_difference(capture: numpy.ndarray, reference: numpy.ndarray) -> tuple[int, int]:
    """(largest difference in LSB, frame at which the reference starts) after alignment; all of `reference` counts."""
    offset = align(capture, reference)
    assert offset >= 0, f"the first {-offset} frames of the reference are missing in the capture"
    window = capture[offset : offset + len(reference)].astype(int)
    assert len(window) == len(reference), f"{len(reference) - len(window)} frames missing at the end"
    return int(numpy.abs(window - reference.astype(int)).max()), offset


def encode_noise(path: pathlib.Path, seconds: float) -> None:
    """An MP3 in which every place can be told from every other."""
    noise = 0.15 * numpy.random.default_rng(141).standard_normal((round(seconds * 44100), 2))
    source = write_wave(path.with_suffix(".source.wav"), noise)
    subprocess.run(["lame", "--quiet", "-b", "192", str(source), str(path)], check=True)
    source.unlink()


def place_heard(samples: numpy.ndarray, reference: numpy.ndarray) -> int:
    """The frame of `reference` at which these samples begin; all of them follow, but for a fade at both ends. Needs noise."""
    place = align(reference, samples)
    expected = reference[place:place + len(samples)].astype(int)
    assert len(expected) == len(samples) and numpy.abs(expected - samples)[500:-500].max() <= 1, "another sound"
    return place


def level(samples: numpy.ndarray) -> float:
    """RMS of 16-bit samples in dBFS (a full-scale square wave is 0 dB); -inf for silence."""
    rms = float(numpy.sqrt(numpy.mean(numpy.square(samples.astype(float) / 32768)))) if samples.size else 0.0
    return 20 * numpy.log10(rms) if rms > 0 else float("-inf")


def dominant_frequency(samples: numpy.ndarray, rate: int = 44100) -> float:
    """Frequency in Hz of the strongest partial of one channel, interpolated between bins."""
    windowed = samples.astype(float) * numpy.hanning(len(samples))
    spectrum = numpy.abs(numpy.fft.rfft(windowed))
    peak = int(numpy.argmax(spectrum[1:])) + 1
    if 0 < peak < len(spectrum) - 1:
        a, b, c = numpy.log(spectrum[peak - 1 : peak + 2] + 1e-12)
        peak += 0.5 * (a - c) / (a - 2 * b + c)
    return peak * rate / len(samples)


def second_of_chirp(samples: numpy.ndarray) -> float:
    """The position in `chirp.mp3` from which these samples come."""
    return dominant_frequency(samples[:, 0]) / 200 - 1


def distortion_and_noise(samples: numpy.ndarray, frequency: float, rate: int = 44100) -> float:
    """Everything but the sine at `frequency`, in dB relative to it."""
    time = numpy.arange(len(samples)) / rate
    basis = numpy.stack([numpy.sin(2 * numpy.pi * frequency * time), numpy.cos(2 * numpy.pi * frequency * time),
                         numpy.ones(len(time))], axis=1)
    signal = samples.astype(float)
    parameters, *_ = numpy.linalg.lstsq(basis, signal, rcond=None)
    tone = basis @ parameters
    return 10 * numpy.log10(numpy.sum((signal - tone) ** 2) / numpy.sum(tone**2))


def click_level(samples: numpy.ndarray, above: float = 6000, rate: int = 44100) -> float:
    """Largest momentary level in dBFS above `above` Hz: what a click in low-pitched material shows as."""
    signal = samples.astype(float) / 32768
    # The transform wraps around: both ends are faded.
    edge = int(0.01 * rate)
    fade = 0.5 - 0.5 * numpy.cos(numpy.pi * numpy.arange(edge) / edge)
    signal[:edge] *= fade
    signal[-edge:] *= fade[::-1]
    spectrum = numpy.fft.rfft(signal)
    spectrum[: int(above * len(signal) / rate)] = 0
    high = numpy.abs(numpy.fft.irfft(spectrum, len(signal)))[edge:-edge]
    return 20 * numpy.log10(max(float(high.max()), 1e-9))
