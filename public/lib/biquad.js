// SPDX-License-Identifier: Apache-2.0

/**
 * Coefficients of a band of the equaliser (Robert Bristow-Johnson's cookbook), as the server computes them: `{b: [3], a: [3]}`; null
 * for a band without effect at this sample rate.
 */
function coefficients({ type, frequency, gain = 0, q = Math.SQRT1_2 }, sampleRate) {
  const highest = 0.495 * sampleRate;
  if (gain === 0 && ["peak", "lowshelf", "highshelf"].includes(type)) return null;
  if (frequency >= highest && !["lowshelf", "highpass"].includes(type)) return null;
  const angle = (2 * Math.PI * Math.min(frequency, highest)) / sampleRate;
  const cosine = Math.cos(angle);
  const alpha = Math.sin(angle) / (2 * q);
  const a = 10 ** (gain / 40);
  const plain = [1 + alpha, -2 * cosine, 1 - alpha];
  switch (type) {
    case "peak": return { b: [1 + alpha * a, -2 * cosine, 1 - alpha * a], a: [1 + alpha / a, -2 * cosine, 1 - alpha / a] };
    case "lowpass": return { b: [(1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2], a: plain };
    case "highpass": return { b: [(1 + cosine) / 2, -(1 + cosine), (1 + cosine) / 2], a: plain };
    case "notch": return { b: [1, -2 * cosine, 1], a: plain };
    default: {
      // A high shelf is a low one of the mirrored spectrum.
      const mirrored = type === "highshelf" ? -cosine : cosine;
      const sign = type === "highshelf" ? -1 : 1;
      const slope = 2 * Math.sqrt(a) * alpha;
      const [more, less] = [a + 1, a - 1];
      return {
        b: [a * (more - less * mirrored + slope), sign * 2 * a * (less - more * mirrored), a * (more - less * mirrored - slope)],
        a: [more + less * mirrored + slope, sign * -2 * (less + more * mirrored), more + less * mirrored - slope],
      };
    }
  }
}

/** Gain in dB of all bands at a frequency. */
export function responseAt(frequency, bands, sampleRate) {
  const x = Math.sin((Math.PI * frequency) / sampleRate) ** 2;
  // Avoids the difference of nearly equal numbers at low frequencies.
  const power = ([c0, c1, c2]) => (c0 + c1 + c2) ** 2 - 4 * (c0 * c1 + 4 * c0 * c2 + c1 * c2) * x + 16 * c0 * c2 * x * x;
  return bands.map((band) => coefficients(band, sampleRate)).filter(Boolean)
    .reduce((sum, { b, a }) => sum + 10 * Math.log10(Math.max(1e-20, power(b)) / power(a)), 0);
}
