// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Files with the sound of the player.
extension PlayerService {
    /// In the order of their creation.
    public func renders() throws(Problem) -> [RenderJob] { try requireRenders().jobs(of: id) }

    public func renderJob(_ job: String) throws(Problem) -> RenderJob { try requireRenders().job(job, of: id) }

    /// Replies when the job is accepted.
    public func render(_ order: RenderOrder, for caller: Caller, reply: @escaping ServiceReply<RenderJob>) {
        attempt(reply) { () throws(Problem) in
            let renders = try requireRenders()
            let (requests, rules) = requests(of: order.source)
            guard let requests else { return reply(add(order, queue(), to: renders)) }
            server.resolve(requests, rules, for: caller) { result in
                reply(result.mapError { $0.naming(order.source) }.flatMap { add(order, $0.items, to: renders) })
            }
        }
    }

    /// Cancels a running job, and deletes the job and its file.
    public func removeRender(_ job: String, for caller: Caller, reply: @escaping ServiceReply<Void>) {
        onDisk(job, caller, reply) { renders, job throws(RecordingError) in try renders.remove(job) }
    }

    /// Calls `use` with the open file, on the thread that opened it; `use` owns the descriptor.
    public func openRender<Value: Sendable>(
        _ job: String, for caller: Caller, reply: @escaping ServiceReply<Value>,
        _ use: @escaping @Sendable (RecordingEntry, _ file: (descriptor: Int32, size: UInt64)) -> Value
    ) {
        attempt(reply) { () throws(Problem) in
            guard let file = try renderJob(job).file else {
                throw Problem(.conflict, "render-not-ready", "The render \(job.prefix(40)) is not completed.")
            }
            let entry = RecordingEntry(
                id: file.name, size: file.size, modified: file.completed, isRecovered: false, sound: nil)
            onDisk(job, caller, reply) { renders, _ throws(RecordingError) in use(entry, try renders.open(file)) }
        }
    }

    // MARK: Parts

    private func requireRenders() throws(Problem) -> Renders { try server.parts.renders.orThrow(.noRenders) }

    /// The addresses to resolve; nil for the queue, whose items are known.
    private func requests(of source: RenderOrder.Source) -> ([ItemRequest]?, AddingRules) {
        switch source {
        case .items(let items): (items, AddingRules())
        case .mix(let inputs):
            (inputs.map { .media(ItemDraft(uri: $0.uri), expands: false) }, AddingRules(expands: false))
        case .queue: (nil, AddingRules())
        }
    }

    private func queue() -> [ItemDraft] {
        queueWindow(offset: 0, limit: RenderPlan.mostItems + 1).items.map(\.draft)
    }

    private func add(_ order: RenderOrder, _ items: [ItemDraft], to renders: Renders) -> Result<RenderJob, Problem> {
        Result { () throws(Problem) in try renders.add(try plan(order, items), of: id) }
    }

    private func plan(_ order: RenderOrder, _ items: [ItemDraft]) throws(Problem) -> RenderPlan {
        guard !items.isEmpty else { throw Problem(.conflict, "nothing-to-render", "There are no items to render.") }
        guard items.count <= RenderPlan.mostItems else {
            throw .tooLarge("One render takes at most \(RenderPlan.mostItems) items.")
        }
        if order.duration == nil, items.contains(where: { $0.loops < 0 }) {
            throw .invalid("duration", "duration is required: an item repeats forever.")
        }
        var settings = snapshot.settings
        if !order.hasEffects {
            settings.effects = .off
            (settings.musicRate, settings.speechRate, settings.pitch) = (1, 1, 0)
        }
        var plan = RenderPlan(
            source: .sequence(items, inOrder: !settings.shuffle), container: order.container,
            hasEffects: order.hasEffects, settings: settings, start: order.start, duration: order.duration,
            crossfade: settings.repeats == .one ? 0 : settings.crossfade)
        // As when the queue plays.
        if case .queue = order.source { plan.skipsFaults = true }
        if case .mix(let inputs) = order.source {
            plan.source = .mix(zip(items, inputs).map { ($0, $1.gain) })
            // The client sets the gains.
            plan.settings.effects.loudness.mode = .off
        }
        return plan
    }

    private func onDisk<Value: Sendable>(
        _ id: String, _ caller: Caller, _ reply: @escaping ServiceReply<Value>,
        _ job: @escaping @Sendable (Renders, RenderJob) throws(RecordingError) -> Value
    ) {
        attempt(reply) { () throws(Problem) in
            let renders = try requireRenders()
            let found = try renders.job(id, of: self.id)
            server.open(for: caller, reply: reply) { _ throws(Problem) in
                do throws(RecordingError) { return try job(renders, found) } catch { throw Problem(error) }
            }
        }
    }
}

extension Problem {
    /// The inputs of a mix are resolved as items.
    fileprivate func naming(_ source: RenderOrder.Source) -> Problem {
        guard case .mix = source, let member, member.hasPrefix("items[") else { return self }
        var problem = self
        problem.member = "mix" + member.dropFirst("items".count)
        return problem
    }

    static func unknownRender(_ id: String) -> Problem {
        .notFound("There is no render \(id.prefix(40)).", code: "unknown-render")
    }
}
