// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Glibc

/// Reads equaliser texts of AutoEQ and Equalizer APO:
///
///     Preamp: -6.2 dB
///     Filter 1: ON LSC Fc 105 Hz Gain 5.5 dB Q 0.70
///     Filter 2: ON PK Fc 2000 Hz Gain -3.0 dB BW Oct 0.5
///
/// or a curve, which ten bands approximate:
///
///     GraphicEQ: 20 -1.5; 100 2; 1000 0.5; 20000 -4
public enum EqualizerText {
    public struct Unreadable: Error, Hashable, Sendable {
        /// A complete sentence.
        public var message: String
    }

    /// Skips filters that are off, comments, headings of Room EQ Wizard and device lines. Accepts a decimal comma.
    public static func read(_ text: String) throws(Unreadable) -> (preamp: Double, bands: [EffectSettings.Band]) {
        // Windows editors add a byte order mark.
        let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        var preamp = 0.0
        var bands: [EffectSettings.Band] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let parts = line.prefix { $0 != "#" }.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            // A line without a colon is a comment.
            guard parts.count > 1, let command = parts[0].split(separator: " ").first?.lowercased() else { continue }
            let words = parts[1].split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
            func refusal(_ reason: String) -> Unreadable { Unreadable(message: "Line \(index + 1) \(reason).") }
            switch command {
            case "preamp":
                guard let gain = words.first.flatMap(number) else { throw refusal("has no preamp in dB") }
                preamp += gain
            case "filter":
                if words.first == "off" || words.dropFirst().first == "none" { continue }
                guard words.first == "on" else { throw refusal("is a filter that is neither ON nor OFF") }
                do throws(Unreadable) {
                    bands.append(try band(words.dropFirst()))
                } catch {
                    throw refusal(error.message)
                }
            case "graphiceq":
                do throws(Unreadable) {
                    let graphic = GraphicEqualizer.fit(try curve(parts[1]))
                    preamp += graphic.preamp
                    bands += graphic.bands
                } catch {
                    throw refusal(error.message)
                }
            case "device", "stage", "dated", "notes", "equaliser", "equalizer": continue
            case "channel":
                guard words == ["all"] else { throw refusal("is for some channels only; all have one equaliser here") }
            default:
                throw refusal(
                    "has the command “\(command.prefix(20))”; only Preamp, Filter (ParametricEQ) and GraphicEQ are read"
                )
            }
        }
        guard !bands.isEmpty || preamp != 0 else {
            throw Unreadable(
                message: "There is no filter in it: lines such as “Filter 1: ON PK Fc 100 Hz Gain 3 dB Q 1.41”.")
        }
        return (preamp, bands)
    }

    /// Parses a type, then names with values. The error is the end of a sentence.
    private static func band(_ words: ArraySlice<String>) throws(Unreadable) -> EffectSettings.Band {
        guard let type = words.first else { throw Unreadable(message: "has a filter without a type") }
        let names: Set = ["fc", "gain", "q", "bw"]
        var values: [String: Double] = [:]
        var place = words.startIndex
        while place < words.endIndex {
            let name = words[place]
            place += 1
            guard names.contains(name) else { continue }
            // "BW Oct 0.5"
            if name == "bw", place < words.endIndex, words[place] == "oct" { place += 1 }
            guard place < words.endIndex, var value = number(words[place]) else {
                throw Unreadable(message: "has no number behind \(name)")
            }
            place += 1
            if name == "fc", place < words.endIndex, !names.contains(words[place]) {
                guard ["hz", "khz"].contains(words[place]) else {
                    throw Unreadable(message: "has the unit \(words[place].prefix(20)) behind fc, which is not Hz")
                }
                if words[place] == "khz" { value *= 1_000 }
            }
            values[name] = value
        }
        guard let frequency = values["fc"] else { throw Unreadable(message: "has a filter without Fc") }
        var q = values["q"]
        if let width = values["bw"], width > 0 {
            // The Q of a filter of this width in octaves.
            let ratio = exp2(width)
            q = ratio.squareRoot() / (ratio - 1)
        }
        let gain = values["gain"] ?? 0
        func shape(_ shape: BiquadCoefficients.Shape, gain: Double = gain, q usual: Double) -> EffectSettings.Band {
            EffectSettings.Band(shape, frequency: frequency, gain: gain, q: q ?? usual)
        }
        // "LS 6dB", "LSC 6 dB": dB an octave.
        func shelf(_ shape: BiquadCoefficients.Shape) throws(Unreadable) -> EffectSettings.Band {
            let slope = words.dropFirst().first.flatMap(number).map { $0 / 12 }
            return try Self.shelf(
                shape, frequency: frequency, gain: gain, q: slope == nil ? q : nil, slope: slope,
                isCorner: type == "ls" || type == "hs")
        }
        let butterworth = 0.5.squareRoot()
        switch type {
        case "pk", "peq", "modal":
            guard let q else { throw Unreadable(message: "has a filter \(type.uppercased()) without Q or BW") }
            return shape(.peak, q: q)
        case "ls", "lsc", "lsq": return try shelf(.lowShelf)
        case "hs", "hsc", "hsq": return try shelf(.highShelf)
        case "lp", "lpq": return shape(.lowPass, gain: 0, q: butterworth)
        case "hp", "hpq": return shape(.highPass, gain: 0, q: butterworth)
        case "no": return shape(.notch, gain: 0, q: 30)
        default: throw Unreadable(message: "has a filter of the type \(type.prefix(20)), which is not known here")
        }
    }

    /// Follows Equalizer APO (BiQuadFilterFactory.cpp, BiQuad.cpp, BiQuadFilter.cpp). `slope` is S of the cookbook. A
    /// corner is the frequency at which the shelf is reached; it applies only with a given width.
    private static func shelf(
        _ shape: BiquadCoefficients.Shape, frequency: Double, gain: Double, q: Double?, slope: Double?, isCorner: Bool
    ) throws(Unreadable) -> EffectSettings.Band {
        let a = pow(10, gain / 40)
        let steepness = slope ?? q.map { 1 / ((1 / ($0 * $0) - 2) / (a + 1 / a) + 1) } ?? 0.9
        let inverse = (a + 1 / a) * (1 / steepness - 1) + 2
        guard steepness > 0, steepness.isFinite, inverse > 0 else {
            throw Unreadable(message: "has a shelf that is too steep, or has no slope")
        }
        let shift = isCorner && (slope ?? q) != nil ? pow(10, abs(gain) / 80 / steepness) : 1
        return EffectSettings.Band(
            shape, frequency: shape == .lowShelf ? frequency * shift : frequency / shift, gain: gain,
            q: q ?? 1 / inverse.squareRoot())
    }

    /// Parses pairs of frequency and gain, with rising frequencies. The error is the end of a sentence.
    private static func curve(_ text: Substring) throws(Unreadable) -> [(frequency: Double, gain: Double)] {
        var points: [(frequency: Double, gain: Double)] = []
        for pair in text.split(separator: ";") {
            let words = pair.split { $0 == " " || $0 == "\t" }
            if words.isEmpty { continue }
            guard words.count == 2, let frequency = number(String(words[0])), let gain = number(String(words[1])),
                frequency > points.last?.frequency ?? 0
            else { throw Unreadable(message: "has no rising frequencies with a gain each, such as 20 -1.5; 100 2") }
            points.append((frequency, gain))
        }
        guard !points.isEmpty else { throw Unreadable(message: "has a curve without points") }
        return points
    }

    private static func number(_ text: String) -> Double? {
        let plain = (text.hasSuffix("db") || text.hasSuffix("hz") ? String(text.dropLast(2)) : text)
            .map { $0 == "," ? "." : $0 }
        // Rejects hexadecimal numbers and names.
        guard plain.allSatisfy({ "0123456789.+-e".contains($0) }) else { return nil }
        return Double(String(plain)).flatMap { $0.isFinite ? $0 : nil }
    }
}
