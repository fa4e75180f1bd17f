// SPDX-License-Identifier: Apache-2.0

import Kernel

/// The recorder's loop: one recording at a time, from source to file. Lives on the recorder's thread.
final class RecorderLoop {
    /// Seconds that a source may take to start.
    private static let patience = 3.0
    /// Seconds without sound after which the recording counts as interrupted: a running source delivers silence, too.
    private static let longestSilence = 2.0
    /// Seconds that `stop` waits for the first sound: a source delivers it in portions.
    private static let firstPortion = 0.5

    private let environment: Recorder.Environment
    private let mailbox: Mailbox<RecorderMessage>
    private let published: Published<RecordingStatus, Recorder.Event>
    private var status = RecordingStatus()
    private var take: RecordingTake?
    private var generation = 0

    init(
        _ environment: Recorder.Environment, _ mailbox: Mailbox<RecorderMessage>,
        _ published: Published<RecordingStatus, Recorder.Event>
    ) {
        self.environment = environment
        self.mailbox = mailbox
        self.published = published
    }

    func run() {
        while true {
            for message in mailbox.take(until: deadline) {
                if case .shutdown = message { return end(.shutdown) }
                receive(message)
            }
            if let starting = take?.starting, starting.until <= .now {
                giveUp(.noSource("The source delivers no sound."))
            }
            if let stopping = take?.stopping, stopping.until <= .now { end(.user) }
            if let take, take.stopping == nil, status.state == .recording, let deadline, deadline <= .now {
                interrupted(take)
            }
        }
    }

    private var deadline: MonotonicTime? {
        guard let take else { return nil }
        if let stopping = take.stopping { return stopping.until }
        if status.state == .recording { return take.heardAt.advanced(bySeconds: Self.longestSilence) }
        return take.starting?.until
    }

    private func receive(_ message: RecorderMessage) {
        switch message {
        case .start(let settings, let reply): start(settings, reply)
        case .pause(let reply): pause(reply)
        case .stop(let reply): stop(reply)
        case .meter(let isOn, let reply): setMetering(isOn, reply)
        case .permissionChanged:
            if let refusal = environment.refusal() { end(.session, message: refusal) }
        case .capture(let event, let generation):
            guard generation == take?.generation else { return }
            captured(event)
        case .shutdown: break
        }
    }

    // MARK: Commands

    private func start(_ settings: RecordingSettings, _ reply: @escaping RecordingReply<Recorder.Started>) {
        if let refusal = environment.refusal() { return reply(.failure(.notPermitted(refusal))) }
        if take?.stopping != nil { end(.user) }
        if let take {
            if status.state == .paused {
                take.stream?.setPaused(false)
                take.heardAt = .now
                change(.recording)
            }
            return reply(.success((status, false)))
        }
        generation += 1
        let take = RecordingTake(settings, generation: generation)
        take.starting = (.now.advanced(bySeconds: Self.patience), reply)
        self.take = take
        // Reported before the source is opened, so that a withdrawn permission finds it.
        change(.starting)
        take.stream = environment.capture.open(settings, into: take.ring) { [mailbox, generation] event in
            mailbox.post(.capture(event, generation: generation))
        }
    }

    private func pause(_ reply: RecordingReply<RecordingStatus>) {
        if take?.stopping != nil { end(.user) }
        guard let take, status.state != .starting else { return reply(.failure(.notRecording)) }
        if status.state != .paused {
            take.stream?.setPaused(true)
            // Sound captured before belongs to the recording.
            if writeWaiting(take) {
                take.settleGap(.now)
                silenceMeter(take)
                change(.paused)
            }
        }
        reply(.success(status))
    }

    private func stop(_ reply: @escaping RecordingReply<RecordingStatus>) {
        guard let take else { return reply(.failure(.notRecording)) }
        if take.frames == 0, status.state == .recording, take.stopping == nil {
            take.stopping = (.now.advanced(bySeconds: Self.firstPortion), reply)
            return
        }
        end(.user)
        reply(.success(status))
    }

    private func setMetering(_ isOn: Bool, _ reply: RecordingReply<RecordingStatus>) {
        guard let take, status.state != .starting else { return reply(.failure(.notRecording)) }
        take.isMetered = isOn
        take.meter.reset()
        status.current?.settings.isMetered = isOn
        change(status.state)
        reply(.success(status))
    }

    // MARK: Capture

    private func captured(_ event: CaptureEvent) {
        guard let take else { return }
        switch event {
        case .started(let source): started(take, source)
        case .frames:
            guard status.state == .recording || status.state == .interrupted else { return }
            guard writeWaiting(take) else { return }
            heard(take)
            if take.stopping != nil { end(.user) }
        case .failed(let error):
            if take.starting != nil { return giveUp(error) }
            end(.routeChange, message: error.sentence)
        }
    }

    private func heard(_ take: RecordingTake) {
        let now = MonotonicTime.now
        take.heardAt = now
        if status.state == .interrupted {
            take.gap?.endedAt = now
            return change(.recording)
        }
        if let ended = take.gap?.endedAt, now.seconds(since: ended) >= 1 { take.settleGap(now) }
        publish()
    }

    /// The sound server stands still, or the source is suspended. The recording resumes with the next sound.
    private func interrupted(_ take: RecordingTake) {
        take.beginGap()
        silenceMeter(take)
        change(.interrupted)
    }

    /// The file is created only now: a source that cannot be opened or is not permitted leaves none.
    private func started(_ take: RecordingTake, _ source: String) {
        guard let starting = take.starting else { return }
        if let refusal = environment.refusal() { return giveUp(.notPermitted(refusal)) }
        do throws(RecordingError) {
            let writer = try environment.store.create(take.settings)
            take.writer = writer
            take.starting = nil
            var current = RecordingStatus.Current(id: writer.id, settings: take.settings)
            current.source = source
            status.current = current
            take.heardAt = .now
            change(.recording)
            starting.reply(.success((status, true)))
        } catch {
            giveUp(error)
        }
    }

    private func giveUp(_ error: RecordingError) {
        guard let take, let starting = take.starting else { return }
        take.stream?.close()
        self.take = nil
        change(.idle)
        starting.reply(.failure(error))
    }

    /// False if the recording has ended because of it.
    private func writeWaiting(_ take: RecordingTake) -> Bool {
        do throws(RecordingError) {
            if case .written = try write(take, isMetered: take.isMetered) { return true }
            end(.sizeLimit)
        } catch {
            end(error.endReason, successfully: false, message: error.sentence)
        }
        return false
    }

    /// Up to the size limit, if there is one.
    private func write(_ take: RecordingTake, isMetered: Bool) throws(RecordingError) -> WriteOutcome {
        guard let writer = take.writer else { return .written }
        var outcome = WriteOutcome.written
        while case .written = outcome,
            try take.ring.take({ samples throws(RecordingError) in
                outcome = try writer.write(samples)
                take.frames += samples.count / take.settings.channelCount
                if isMetered { take.meter.add(samples) { published.notify(.levels(id: writer.id, $0)) } }
            })
        {}
        return outcome
    }

    // MARK: End

    /// Completes the file, for whatever reason, with all data that can still be written.
    private func end(_ reason: EndReason, successfully: Bool = true, message: String? = nil) {
        guard let take else { return }
        if take.starting != nil { return giveUp(Self.refusal(reason, message)) }
        take.stream?.close()
        var result = RecordingStatus.Finished(
            id: take.writer?.id ?? "", successfully: successfully, reason: reason, duration: 0, message: message)
        if reason != .diskFull, reason != .writeError, status.state != .paused {
            do throws(RecordingError) { _ = try write(take, isMetered: false) } catch { result.failed(error) }
        }
        take.settleGap(.now)
        do throws(RecordingError) { try take.writer?.finish() } catch { result.failed(error) }
        result.duration = take.duration
        if let loss = take.frames == 0 ? "There is no file: the source delivered no sound." : take.loss {
            result.successfully = false
            result.message = result.message ?? loss
        }
        silenceMeter(take)
        self.take = nil
        status.last = result
        status.current = nil
        change(.idle)
        take.stopping?.reply(.success(status))
        if take.settings.playsAfterwards, result.successfully, take.frames > 0, reason != .shutdown {
            environment.play(environment.store.address(result.id))
        }
    }

    /// The error of a recording that ends before it begins.
    private static func refusal(_ reason: EndReason, _ message: String?) -> RecordingError {
        switch reason {
        case .shutdown: .shuttingDown
        case .session: .notPermitted(message ?? "The session no longer permits it.")
        case .user: .ended("It was stopped before the source delivered sound.")
        case .routeChange: .noSource(message ?? "The source was removed.")
        case .diskFull, .writeError, .sizeLimit: .failed(message ?? "It ended before the source delivered sound.")
        }
    }

    private func silenceMeter(_ take: RecordingTake) {
        guard take.isMetered, let id = take.writer?.id else { return }
        take.meter.reset()
        published.notify(.levels(id: id, Array(repeating: ChannelLevel(), count: take.settings.channelCount)))
    }

    // MARK: State

    private func change(_ state: RecordingStatus.State) {
        status.state = state
        publish()
        published.notify(.status(status))
    }

    /// A changed duration alone is no event.
    private func publish() {
        if let take {
            status.current?.duration = take.duration
            status.current?.lostFrames = take.lostFrames
        }
        published.update { $0 = status }
    }
}

extension RecordingStatus.Finished {
    fileprivate mutating func failed(_ error: RecordingError) {
        (successfully, reason, message) = (false, error.endReason, error.sentence)
    }
}

extension RecordingError {
    /// For a file that cannot be written.
    fileprivate var endReason: EndReason { if case .diskFull = self { .diskFull } else { .writeError } }
}
