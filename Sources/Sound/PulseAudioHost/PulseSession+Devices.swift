// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Playback

/// The stream's present and intended device.
extension PulseSession {
    /// The sink of our stream, as last reported by the server.
    var reportedDevice: String? {
        readyStream.flatMap { pa_stream_get_device_name($0.stream) }.map { String(cString: $0) }
    }

    /// A stream on its intended device is reported at once. Otherwise the devices are listed first, as PulseAudio moves
    /// a stream before it reports the new default, or that headphones are gone.
    func streamMoved() {
        guard let reportedDevice, reportedDevice == devices.target?.id else {
            if let readyStream, devices.requiresHeadphones { displace(readyStream) }
            return listDevices()
        }
        if devices.devices?.contains(where: { $0.id == streamDevice && $0.isPrivate }) == true { return listDevices() }
        streamDevice = reportedDevice
        publishDevices()
        checkPlacement()
    }

    func publishDevices() {
        guard devices.devices != nil else { return }
        let name = streamDevice
        if let name, let chosen = devices.chosen, name != chosen, name == devices.defaultName, devices.contains(chosen),
            devices.defaultWasChanged, current?.isPinned == false, devices.target?.isPrivate == false
        {
            // PulseAudio forgets a choice that was the default at that time, and moves the stream to the new default.
            return moveStream(to: chosen)
        }
        let published = devices.published(streamDevice: name)
        guard published != publishedDevices else { return }
        publishedDevices = published
        emit(.devices(published))
    }

    func select(_ id: String?) {
        if let id, devices.devices != nil, !devices.contains(id) {
            publishedDevices = nil
            return publishDevices()
        }
        mustMove = id != nil || devices.chosen != nil
        devices.chosen = id
        checkPlacement()
        publishDevices()
    }

    /// Moves the stream to its intended device if needed, and prevents a move from headphones to speakers.
    ///
    /// The server moves a stream that follows the default. A stream that somebody else moved stays there.
    func checkPlacement() {
        guard let current, !current.isClosing, let name = reportedDevice, let target = devices.target else { return }
        if name == target.id {
            if target.isPrivate, !current.isPinned { displace(current) }
        } else if current.isPinned || devices.requiresHeadphones {
            displace(current)
        } else if mustMove {
            // The server's own default, which may be newer than ours.
            moveStream(to: devices.chosen ?? "@DEFAULT_SINK@")
        }
        mustMove = false
    }

    private func displace(_ stream: PulseStream) {
        guard !stream.isDisplaced else { return }
        stream.isDisplaced = true
        emit(.displaced(stream.generation))
    }

    private func moveStream(to device: String) {
        guard let readyStream, let context,
            let operation = pa_context_move_sink_input_by_name(
                context, pa_stream_get_index(readyStream.stream), device, nil, nil)
        else { return }
        requestedMoves += 1
        pa_operation_unref(operation)
    }
}
