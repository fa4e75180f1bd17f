// SPDX-License-Identifier: Apache-2.0

/// Facts of a live stream: the station, and the programme that it reports.
public struct Broadcast: Hashable, Sendable {
    public var station: String?
    public var genre: String?
    public var about: String?
    public var homepage: String?
    /// Bits per second, as the station reports.
    public var bitrate: Int?
    /// nil until the station has sent one.
    public var programme: Programme?

    public init() {}

    /// A song, or whatever the station calls the part that is on the air.
    public struct Programme: Hashable, Sendable {
        public var title: String?
        public var url: String?

        public init(title: String?, url: String? = nil) {
            self.title = title
            self.url = url
        }
    }
}
