// SPDX-License-Identifier: Apache-2.0

import Service

/// `POST /renders`
extension RenderOrder: JSONReadable {
    private static let sources = ["items", "queue", "mix"]
    private static let mostItems = 1_000
    private static let mostInputs = 16

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, Self.sources + ["format", "effects", "start", "duration"])
        let given = Self.sources.filter(object.contains)
        guard let name = given.first else { throw object.invalid("items", "is needed, or queue, or mix") }
        if given.count > 1 { throw object.invalid(given[1], "cannot go with \(name)") }
        self.init(try Self.source(object))
        container = try object.choice("format", of: RecordingSettings.Container.rendered) ?? .wav
        hasEffects = try object.flag("effects") ?? true
        start = try object.number("start", in: mediaSeconds) ?? 0
        duration = try object.number("duration", in: 0.001...mediaSeconds.upperBound)
    }

    private static func source(_ object: StrictObject) throws(Problem) -> Source {
        if let items = try object.nested([ItemRequest].self, "items") {
            guard (1...mostItems).contains(items.count) else {
                throw object.invalid("items", "must list 1 to \(mostItems)")
            }
            return .items(items)
        }
        if let inputs = try object.nested([MixInput].self, "mix") {
            guard (1...mostInputs).contains(inputs.count) else {
                throw object.invalid("mix", "must list 1 to \(mostInputs)")
            }
            return .mix(inputs)
        }
        guard try object.flag("queue") == true else { throw object.invalid("queue", "must be true") }
        return .queue
    }
}

extension RenderOrder.MixInput: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["uri", "gain"])
        self.init(uri: try object.uri(), gain: try object.number("gain", in: -60...24) ?? 0)
    }
}
