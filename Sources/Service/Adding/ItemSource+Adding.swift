// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

extension ItemSource {
    convenience init(_ list: Playlist) { self.init(.playlist, id: list.id.description, name: list.name) }

    /// The top folder has no name.
    convenience init(folder path: String) {
        self.init(.folder, id: path, name: path.split(separator: "/").last.map(String.init) ?? "/")
    }

    /// A playlist file or feed with the name of its file. User and query of an address are left out, as they may be
    /// secret.
    convenience init(list uri: String) {
        let place = uri.prefix { $0 != "?" && $0 != "#" }
        let start = place.firstRange(of: "://")?.upperBound
        let parts = place[(start ?? place.startIndex)...].split(separator: "/")
        let name = start != nil && parts.count == 1 ? parts[0].split(separator: "@").last : parts.last
        self.init(.list, id: uri, name: name.map { PercentEncoding.decode($0) ?? String($0) } ?? uri)
    }
}
