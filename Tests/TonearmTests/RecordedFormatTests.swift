// SPDX-License-Identifier: Apache-2.0

import Media
import Service
import Testing

@Suite struct RecordedFormatTests {
    /// A stream is saved under the extension that its first bytes give.
    @Test func everyMediaThatIsRecognised_canBeSaved() {
        let extensions = FileSignature.allCases.compactMap(\.fileExtension)
        #expect(extensions.count == 19)
        for name in extensions { #expect(RecordedFormat(rawValue: name) != nil, "\(name)") }
    }
}
