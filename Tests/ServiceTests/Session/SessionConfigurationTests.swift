// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Service

/// The validity matrix (SPEC rows 110-120). Rows and columns are in the order of `allCases`.
@Suite struct SessionConfigurationTests {
    private static let categories = SessionCategory.allCases

    // ambient, solo-ambient, playback, record, play-and-record, multi-route, audio-processing
    private static let modes: [(SessionMode, String)] = [
        (.default, "1111111"), (.voiceChat, "0000100"), (.videoChat, "0000100"), (.gameChat, "0000100"),
        (.moviePlayback, "0010000"), (.videoRecording, "0001100"), (.measurement, "0011100"),
    ]

    private static let options: [(SessionOption, String)] = [
        (.mixWithOthers, "0010110"), (.duckOthers, "0010110"), (.interruptSpokenAudioAndMix, "0010110"),
        (.allowBluetooth, "0001100"), (.allowBluetoothA2DP, "0000100"), (.allowAirPlay, "0000100"),
        (.defaultToSpeaker, "0000100"),
    ]

    private func problem(
        _ category: SessionCategory, _ options: Set<SessionOption>, _ mode: SessionMode
    ) -> Problem? {
        do throws(Problem) {
            _ = try SessionConfiguration(category: category, options: options, mode: mode)
            return nil
        } catch {
            return error
        }
    }

    @Test func fortyNineModes() {
        #expect(Self.categories.count == 7 && Self.modes.map(\.0) == SessionMode.allCases)
        for (mode, row) in Self.modes {
            for (category, flag) in zip(Self.categories, row) {
                let found = problem(category, [], mode)
                #expect((found == nil) == (flag == "1"), "\(mode) with \(category)")
                if let found { #expect(found.member == "mode") }
            }
        }
    }

    @Test func fortyNineOptions() {
        #expect(Self.options.map(\.0) == SessionOption.allCases)
        for (option, row) in Self.options {
            for (category, flag) in zip(Self.categories, row) {
                let found = problem(category, [option], .default)
                #expect((found == nil) == (flag == "1"), "\(option) with \(category)")
                if let found { #expect(found.member == "options") }
            }
        }
    }

    /// All 6,272: a combination is valid exactly if each part is possible with the category.
    @Test func everyCombination() {
        for (column, category) in Self.categories.enumerated() {
            func isPossible(_ row: String) -> Bool { Array(row)[column] == "1" }
            let allowed = Set(Self.options.filter { isPossible($0.1) }.map(\.0))
            for bits in 0..<(1 << Self.options.count) {
                let options = Set(Self.options.indices.filter { bits >> $0 & 1 == 1 }.map { Self.options[$0].0 })
                for (mode, row) in Self.modes {
                    let isValid = options.isSubset(of: allowed) && isPossible(row)
                    #expect((problem(category, options, mode) == nil) == isValid, "\(category) \(options) \(mode)")
                }
            }
        }
    }

    @Test func chatModes_implyOptions() throws {
        let video = try SessionConfiguration(category: .playAndRecord, mode: .videoChat)
        #expect(video.effectiveOptions == [.allowBluetooth, .defaultToSpeaker] && video.options.isEmpty)
        let plain = try SessionConfiguration(category: .playAndRecord)
        #expect(plain.effectiveOptions.isEmpty)
    }

    @Test func othersAreTreated_byCategoryAndOptions() throws {
        #expect(SessionConfiguration.standard.others == .silence)
        let ofCategories = try Self.categories.map { try SessionConfiguration(category: $0).others }
        #expect(ofCategories == [.mix, .silence, .silence, .silence, .silence, .silence, .mix])
        #expect(try SessionConfiguration(category: .playback, options: [.mixWithOthers]).others == .mix)
        #expect(try SessionConfiguration(category: .playback, options: [.mixWithOthers, .duckOthers]).others == .duck)
        #expect(
            try SessionConfiguration(category: .playback, options: [.interruptSpokenAudioAndMix]).others
                == .silenceSpeech)
    }

    @Test func categories_requireTheirDevices() {
        #expect(SessionHardware().categories == [.audioProcessing])
        #expect(
            SessionHardware(hasOutput: true).categories
                == [.ambient, .soloAmbient, .playback, .multiRoute, .audioProcessing])
        #expect(SessionHardware(hasInput: true).categories == [.record, .audioProcessing])
        #expect(SessionHardware(hasOutput: true, hasInput: true).categories == SessionCategory.allCases)
    }
}
