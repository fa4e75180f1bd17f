// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Glibc

/// Reads the text in which AutoEQ and Equalizer APO write equalisers:
///
///     Preamp: -6.2 dB
///     Filter 1: ON LSC Fc 105 Hz Gain 5.5 dB Q 0.70
///     Filter 2: ON PK Fc 2000 Hz Gain -3.0 dB BW Oct 0.5
///
/// or, as a curve that ten bands come close to:
///
///     GraphicEQ: 20 -1.5; 100 2; 1000 0.5; 20000 -4
public enum EqualizerText {
    public struct Unreadable: Error, Hashable, Sendable {
        /// A whole sentence.
        public var message: String
    }

    /// Filters that are off are left out, and so are comments and lines for devices.
    public static func read(_ text: String) throws(Unreadable) -> (preamp: Double, bands: [EffectSettings.Band]) {
        // Editors of Windows put a byte order mark before it.
        let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        var preamp = 0.0
        var bands: [EffectSettings.Band] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let parts = line.prefix { $0 != "#" }.split(separator: ":", maxSplits: 1)
            guard let command = parts.first?.split(separator: " ").first?.lowercased() else { continue }
            let words = parts.count > 1 ? parts[1].split { $0 == " " || $0 == "\t" }.map { $0.lowercased() } : []
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
                    let graphic = GraphicEqualizer.fit(try curve(parts.count > 1 ? parts[1] : ""))
                    preamp += graphic.preamp
                    bands += graphic.bands
                } catch {
                    throw refusal(error.message)
                }
            case "device", "stage": continue
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

    /// Type, then values behind their names. The error is the end of a sentence.
    private static func band(_ words: ArraySlice<String>) throws(Unreadable) -> EffectSettings.Band {
        guard let type = words.first else { throw Unreadable(message: "has a filter without a type") }
        var values: [String: Double] = [:]
        var place = words.startIndex
        while place < words.endIndex {
            let name = words[place]
            place += 1
            guard ["fc", "gain", "q", "bw"].contains(name) else { continue }
            // "BW Oct 0.5"
            if name == "bw", place < words.endIndex, words[place] == "oct" { place += 1 }
            guard place < words.endIndex, let value = number(words[place]) else {
                throw Unreadable(message: "has no number behind \(name)")
            }
            values[name] = value
        }
        guard let frequency = values["fc"] else { throw Unreadable(message: "has a filter without Fc") }
        var q = values["q"]
        if let width = values["bw"], width > 0 {
            // The quality of a filter so many octaves wide.
            let ratio = exp2(width)
            q = ratio.squareRoot() / (ratio - 1)
        }
        let gain = values["gain"] ?? 0
        func shape(_ shape: BiquadCoefficients.Shape, gain: Double = gain, q usual: Double) -> EffectSettings.Band {
            EffectSettings.Band(shape, frequency: frequency, gain: gain, q: q ?? usual)
        }
        let butterworth = 0.5.squareRoot()
        return switch type {
        case "pk", "peq", "modal": shape(.peak, q: 1)
        case "ls", "lsc", "lsq": shape(.lowShelf, q: butterworth)
        case "hs", "hsc", "hsq": shape(.highShelf, q: butterworth)
        case "lp", "lpq": shape(.lowPass, gain: 0, q: butterworth)
        case "hp", "hpq": shape(.highPass, gain: 0, q: butterworth)
        case "no": shape(.notch, gain: 0, q: 30)
        default: throw Unreadable(message: "has a filter of the type \(type.prefix(20)), which is not known here")
        }
    }

    /// Pairs of a frequency and a gain, by rising frequency. The error is the end of a sentence.
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
        let plain = text.hasSuffix("db") || text.hasSuffix("hz") ? String(text.dropLast(2)) : text
        // No hexadecimal, no names.
        guard plain.utf8.allSatisfy({ "0123456789.+-e".utf8.contains($0) }) else { return nil }
        return Double(plain).flatMap { $0.isFinite ? $0 : nil }
    }
}
