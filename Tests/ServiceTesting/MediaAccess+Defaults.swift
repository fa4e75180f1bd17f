// SPDX-License-Identifier: Apache-2.0

public import Playback
public import Service

/// Media without a network: scripted media implement only the members that their tests use.
extension MediaAccess {
    public func address(_ uri: String) throws(MediaError) -> MediaAddress { MediaAddress(name: .media) }
    public func isFileAtHand(_ uri: String) -> Bool { false }
    public func places(
        of uris: [String], seconds: Double, cancellation: MediaCancellation
    ) -> [Int: MediaPlace] { [:] }
    public func describe(
        _ locator: MediaLocator, cancellation: MediaCancellation
    ) throws(MediaError) -> MediaDescription {
        throw MediaError(.unreadable, "This server opens no media.")
    }
    public func list(folder path: String) throws(MediaError) -> MusicListing { MusicListing(path: path, entries: []) }
    public func media(inFolder path: String, limit: Int) throws(MediaError) -> FolderContent { FolderContent(uris: []) }
    public func server(of uri: String) -> String { uri }
    public func media(
        ofList locator: MediaLocator, isGiven: Bool, limit: Int, patience: Double?, cancellation: MediaCancellation
    ) throws(MediaError) -> ListContent {
        throw MediaError(.unsupported, "This server reads no playlist files.")
    }
    public func folderPicture(_ locator: MediaLocator) throws(MediaError) -> [UInt8]? { nil }
    public func picture(at address: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> [UInt8] {
        throw MediaError(.forbidden, "This server fetches no pictures.")
    }
    public func lyrics(_ locator: MediaLocator) throws(MediaError) -> MediaLyrics? { nil }
}
