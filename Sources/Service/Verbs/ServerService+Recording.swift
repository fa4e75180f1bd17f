// SPDX-License-Identifier: Apache-2.0

/// The recorder and its files.
extension ServerService {
    /// `disabled` on a server without recordings.
    public var recordingStatus: RecordingStatus { parts.recorder?.status ?? .disabled }

    /// Called before a request is read: a server without recordings refuses every request.
    public func requireRecorder() throws(Problem) { _ = try parts.recorder.orThrow(.recordingDisabled) }

    /// Defaults from the session's mode, for settings that the client leaves out.
    public var recordingDefaults: RecordingSettings {
        RecordingSettings(for: parts.session?.status.configuration.mode ?? .default)
    }

    /// Starts a recording, or resumes the paused one.
    public func record(_ settings: RecordingSettings, reply: @escaping ServiceReply<Recorder.Started>) {
        if let problem = settings.problem { return reply(.failure(problem)) }
        parts.recorder.ask(reply) { $0.start(settings, reply: $1) }
    }

    public func pauseRecording(reply: @escaping ServiceReply<RecordingStatus>) {
        parts.recorder.ask(reply) { $0.pause(reply: $1) }
    }

    public func stopRecording(reply: @escaping ServiceReply<RecordingStatus>) {
        parts.recorder.ask(reply) { $0.stop(reply: $1) }
    }

    public func meterRecording(_ isOn: Bool, reply: @escaping ServiceReply<RecordingStatus>) {
        parts.recorder.ask(reply) { $0.setMetering(isOn, reply: $1) }
    }

    // MARK: Files

    public func recordings(for caller: Caller, reply: @escaping ServiceReply<[RecordingEntry]>) {
        onDisk(caller, reply) { recorder throws(RecordingError) in try recorder.store.list() }
    }

    public func recordingSources(for caller: Caller, reply: @escaping ServiceReply<[CaptureSource]>) {
        onDisk(caller, reply) { recorder throws(RecordingError) in try recorder.sources() }
    }

    public func recording(_ id: String, for caller: Caller, reply: @escaping ServiceReply<RecordingEntry>) {
        onDisk(caller, reply) { recorder throws(RecordingError) in try recorder.store.entry(id) }
    }

    /// As an item's `uri`.
    public func recordingAddress(_ id: String) -> String { parts.recorder?.store.address(id) ?? id }

    public func deleteRecording(_ id: String, for caller: Caller, reply: @escaping ServiceReply<Void>) {
        let streams = parts.streams
        onDisk(caller, reply) { recorder throws(RecordingError) in
            if recorder.status.current?.id == id || streams?.isMaking(id) == true { throw .inUse(id) }
            try recorder.store.delete(id)
        }
    }

    /// Calls `use` with the open file, on the thread that opened it; `use` owns the descriptor.
    public func openRecording<Value: Sendable>(
        _ id: String, for caller: Caller, reply: @escaping ServiceReply<Value>,
        _ use: @escaping @Sendable (RecordingEntry, _ file: (descriptor: Int32, size: UInt64)) -> Value
    ) {
        onDisk(caller, reply) { recorder throws(RecordingError) in
            let entry = try recorder.store.entry(id)
            return use(entry, try recorder.store.open(id))
        }
    }

    private func onDisk<Value: Sendable>(
        _ caller: Caller, _ reply: @escaping ServiceReply<Value>,
        _ job: @escaping @Sendable (Recorder) throws(RecordingError) -> Value
    ) {
        guard let recorder = parts.recorder else { return reply(.failure(.recordingDisabled)) }
        open(for: caller, reply: reply) { _ throws(Problem) in
            do throws(RecordingError) { return try job(recorder) } catch { throw Problem(error) }
        }
    }
}

/// The stream of the player's current item.
extension PlayerService {
    /// `disabled` on a server that saves no streams.
    public var streamStatus: StreamRecordingStatus { server.parts.streams?.status(of: id) ?? .disabled }

    public func requireStreams() throws(Problem) { _ = try server.parts.streams.orThrow(.recordingDisabled) }

    public func saveStream(name: String?, limits: StreamLimits, reply: @escaping ServiceReply<StreamRecorder.Started>) {
        server.parts.streams.ask(reply) { $0.start(id, name: name, limits: limits, reply: $1) }
    }

    public func stopSavingStream(reply: @escaping ServiceReply<StreamRecordingStatus>) {
        server.parts.streams.ask(reply) { $0.stop(id, reply: $1) }
    }
}

extension Optional {
    /// Passes a command to a recorder, and converts its errors. A server without one refuses.
    fileprivate func ask<Value>(
        _ reply: @escaping ServiceReply<Value>, _ command: (Wrapped, @escaping RecordingReply<Value>) -> Void
    ) {
        guard let self else { return reply(.failure(.recordingDisabled)) }
        command(self) { reply($0.mapError { Problem($0) }) }
    }
}

extension RecordingSettings {
    /// A mode stands for the sound of a film, or for a voice near the microphone.
    init(for mode: SessionMode) {
        self.init()
        switch mode {
        case .videoRecording: (sampleRate, channelCount) = (48_000, 2)
        case .voiceChat, .videoChat, .gameChat: preference = .headset
        case .default, .moviePlayback, .measurement: break
        }
    }
}
