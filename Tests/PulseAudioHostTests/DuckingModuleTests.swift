// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PulseAudioHost

/// The behaviour of module-role-ducking, by its arguments (SPEC row 136).
@Suite struct DuckingModuleTests {
    private func stream(_ role: String?, sink: UInt32 = 0, isAudible: Bool = true) -> DuckingModule.Stream {
        DuckingModule.Stream(role: role, sink: sink, isAudible: isAudible)
    }

    @Test(arguments: [
        ("", "music", "phone", true), ("", "video", "phone", true), ("", "game", "phone", false),
        ("", "music", "event", false), ("trigger_roles=event", "music", "event", true),
        ("trigger_roles=event", "music", "phone", false),
        ("ducking_roles=game trigger_roles=event,phone", "game", "phone", true),
        ("trigger_roles=phone/event ducking_roles=music/video", "music", "event", false),
        ("trigger_roles=phone/event ducking_roles=music/video", "video", "event", true),
        ("trigger_roles=\"phone,event\" volume=-10dB ducking_roles='music, video'", "video", "event", true),
        ("trigger_roles=any_role ducking_roles=music", "music", "test", true),
        ("trigger_roles=no_role ducking_roles=music", "music", nil, true),
        ("trigger_roles=any_role ducking_roles=music", "music", nil, false),
    ])
    func rolesDecide(_ arguments: String, _ own: String, _ other: String?, _ ducks: Bool) {
        let module = DuckingModule(arguments: arguments)
        #expect(module.ducks(stream(own), others: [stream(other)]) == ducks)
    }

    @Test func inaudibleStreams_duckNothing() {
        let module = DuckingModule(arguments: "")
        #expect(!module.ducks(stream("music"), others: [stream("phone", isAudible: false)]))
        #expect(!module.ducks(stream("music"), others: []))
        #expect(module.ducks(stream("music", isAudible: false), others: [stream("phone")]))
    }

    @Test(arguments: [("", false), ("global=1", true), ("global=yes", true), ("global=no", false)])
    func otherSinksCount_whenGlobal(_ arguments: String, _ ducks: Bool) {
        let module = DuckingModule(arguments: arguments)
        #expect(module.ducks(stream("music"), others: [stream("phone", sink: 4)]) == ducks)
        #expect(module.ducks(stream("music"), others: [stream("phone")]), "streams on the same sink always count")
    }
}
