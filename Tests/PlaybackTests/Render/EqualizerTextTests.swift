// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Testing

@testable import Playback

struct EqualizerTextTests {
    @Test func aByteOrderMarkIsPassedOver_andHexadecimalIsNoNumber() throws {
        #expect(try EqualizerText.read("\u{FEFF}Preamp: -3 dB").preamp == -3)
        #expect(throws: EqualizerText.Unreadable.self) {
            _ = try EqualizerText.read("Filter 1: ON PK Fc 0x10 Hz Gain 5 dB Q 1")
        }
    }

    @Test func parametricTextOfAutoEQ_isRead() throws {
        let (preamp, bands) = try EqualizerText.read(
            """
            Preamp: -6.2 dB
            Filter 1: ON LSC Fc 105 Hz Gain 5.5 dB Q 0.70
            Filter 2: ON PK Fc 2000.5 Hz Gain -3.0 dB Q 1.41\r
            Filter 3: OFF PK Fc 300 Hz Gain 3 dB Q 1
            Filter 4: ON None

            # a comment: Filter 9
            Filter 5: ON HSC Fc 10000 Hz Gain 1.0 dB Q 0.70
            """)
        #expect(preamp == -6.2)
        #expect(
            bands == [
                .init(.lowShelf, frequency: 105, gain: 5.5, q: 0.7),
                .init(.peak, frequency: 2_000.5, gain: -3, q: 1.41),
                .init(.highShelf, frequency: 10_000, gain: 1, q: 0.7),
            ])
    }

    @Test func otherTypesAndWidthsOfEqualizerAPO_areRead() throws {
        let (_, bands) = try EqualizerText.read(
            """
            Device: all
            Channel: all
            Filter: ON HP Fc 20 Hz
            Filter: ON LPQ Fc 18000 Hz Q 1.5
            Filter: ON NO Fc 50 Hz
            Filter: ON PK Fc 1000 Hz Gain 3 dB BW Oct 1
            """)
        #expect(bands.map(\.shape) == [.highPass, .lowPass, .notch, .peak])
        #expect(bands.map(\.frequency) == [20, 18_000, 50, 1_000])
        #expect(bands[1].q == 1.5 && bands[2].q == 30)
        #expect(abs(bands[3].q - 1.414) < 0.001)
    }

    /// An analog shelf as in Equalizer APO (BiQuadFilterFactory.cpp, BiQuad.cpp). The slopes are in dB per octave.
    @Test(
        arguments: [
            ("LS 6dB", 0.5, true), ("LS 12dB", 1, true), ("LS 6 dB", 0.5, true), ("LSC 6 dB", 0.5, false),
            ("LSC", 0.9, false), ("LS", 0.9, false), ("HS 6dB", 0.5, true), ("HSC 12 dB", 1, false), ("HS", 0.9, false),
        ])
    func shelvesOfEqualizerAPO_areRead(type: String, slope: Double, isCorner: Bool) throws {
        for gain in [10.0, -8] {
            let text = "Filter 1: ON \(type)  Fc 100 Hz Gain \(gain) dB"
            let band = try #require(try EqualizerText.read(text).bands.first)
            let a = pow(10, gain / 40)
            let shift = isCorner ? pow(10, abs(gain) / 80 / slope) : 1
            #expect(band.shape == (type.hasPrefix("L") ? .lowShelf : .highShelf) && band.gain == gain)
            #expect(abs(band.frequency - 100 * (type.hasPrefix("L") ? shift : 1 / shift)) < 1e-9)
            #expect(abs(1 / (band.q * band.q) - ((a + 1 / a) * (1 / slope - 1) + 2)) < 1e-9)
        }
    }

    /// LSC has half its gain at the corner; LS has nearly all of it there.
    @Test func aShelfWithAQuality_isACorner_unlessItIsACentre() throws {
        let bands = try EqualizerText.read(
            "Filter: ON LSC Fc 100 Hz Gain 10 dB Q 0,7071\nFilter: ON LS Fc 100 Hz Gain 10 dB Q 0.7071"
        ).bands
        #expect(bands.map(\.q) == [0.7071, 0.7071] && bands[0].frequency == 100)
        #expect(abs(bands[1].frequency - 100 * pow(10, 10.0 / 80)) < 0.1)
    }

    /// With headings, and the decimal commas of a German machine.
    @Test func aFileOfRoomEQWizard_isRead() throws {
        let (preamp, bands) = try EqualizerText.read(
            """
            Filter Settings file

            Room EQ V5.20.13
            Dated: 23.11.2026 12:00:00

            Notes:Left channel

            Equaliser: Generic
            Average 1
            Filter  1: ON  PK       Fc   63,50 Hz  Gain  -5,5 dB  Q  4,907
            Filter  2: ON  PK       Fc   2 kHz  Gain  1 dB  Q  1
            Filter  3: ON  None
            """)
        #expect(preamp == 0)
        #expect(
            bands == [
                .init(.peak, frequency: 63.5, gain: -5.5, q: 4.907), .init(.peak, frequency: 2_000, gain: 1, q: 1),
            ])
    }

    @Test(
        arguments: [
            ("", "no filter"), ("hello", "no filter"), ("hello: you", "hello"),
            ("Filter 1: ON PK Fc abc Hz Gain 3 dB Q 1", "Line 1 has no number"),
            ("Preamp: -1 dB\nFilter 1: ON PK Gain 3 dB", "Line 2 has a filter without Fc"),
            ("Filter 1: ON PK Fc 100 Hz Gain 3 dB", "without Q"), ("Filter 1: ON PK Fc 2 MHz Gain 3 dB Q 1", "unit"),
            ("Filter 1: ON LS 40dB Fc 100 Hz Gain 20 dB", "steep"), ("Filter 1: ON PK Fc 1.000,5 Hz Q 1", "Line 1"),
            ("Filter 1: ON XX Fc 100 Hz", "xx"), ("GraphicEQ: 20 1; 10 2", "rising"), ("GraphicEQ:", "without points"),
            ("Copy: L=R", "copy"), ("Channel: L", "channels"),
            ("Filter 1: ON PK Fc nan Hz Gain 3 dB Q 1", "Line 1"), ("Filter 1: PK Fc 100 Hz", "neither ON nor OFF"),
        ])
    func invalidText_failsWithItsLine(text: String, expected: String) {
        let error = #expect(throws: EqualizerText.Unreadable.self) { _ = try EqualizerText.read(text) }
        #expect(error?.message.contains(expected) == true)
    }

    /// Ten bands match the curve at their frequencies, also between its points: linear in dB over a logarithmic axis.
    @Test func aGraphicCurve_becomesTenBands() throws {
        let (preamp, bands) = try EqualizerText.read("Preamp: -2 dB\nGraphicEQ: 20 -6; 63 3; 1000 -1; 8000 5; 20000 -9")
        #expect(bands.map(\.frequency) == GraphicEqualizer.frequencies)
        let filters = bands.map {
            BiquadCoefficients($0.shape, frequency: $0.frequency, gain: $0.gain, q: $0.q, sampleRate: 48_000)
        }
        let points = [(20.0, -6.0), (63, 3), (1_000, -1), (8_000, 5), (20_000, -9)]
        for frequency in GraphicEqualizer.frequencies {
            let next = try #require(points.firstIndex { $0.0 > frequency })
            let ((begin, low), (end, high)) = (points[next - 1], points[next])
            let expected = low + (high - low) * log(frequency / begin) / log(end / begin)
            let response = filters.map { 20 * log10($0.magnitude(at: frequency, sampleRate: 48_000)) }.reduce(preamp, +)
            #expect(abs(response - (expected - 2)) < 0.1)
        }
    }
}
