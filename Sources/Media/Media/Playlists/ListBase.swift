// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The location of a list, the base of its references. A list from the network can never refer to a local file.
enum ListBase: Hashable {
    /// Folder names below the music roots.
    case folder([String])
    /// Directory names from `/`, for a list that was given by its `file:` URL.
    case directory([String])
    case web(WebAddress)

    /// Base of a list in the music folders.
    init(localList uri: String) {
        let isURL = uri.prefix(5).lowercased() == "file:"
        let path = isURL ? FileURL.path(uri) : nil
        let names = (path ?? uri).split(separator: "/").dropLast().map(String.init)
        self = path == nil ? .folder(names) : .directory(names)
    }

    /// Applies the base that the list itself declares, if it is a web address.
    func moved(to base: String?) -> ListBase {
        guard let base, let uri = resolve(base), let address = WebAddress(uri) else { return self }
        return .web(address)
    }

    /// A `uri` for the queue; nil if the reference leads neither to a file nor to the web.
    func resolve(_ reference: String) -> String? {
        guard reference.utf8.count <= WebAddress.longestReference else { return nil }
        if let address = WebAddress(reference) { return address.url }
        let scheme = reference.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let rest = reference.dropFirst(scheme.count)
        let isWindowsPath = scheme.count == 1 && rest.hasPrefix(":")
        switch self {
        case .web(let base):
            // A one-letter scheme is a Windows drive.
            if !scheme.isEmpty, rest.hasPrefix(":") { return nil }
            return base.redirected(to: reference).map(\.url)
        case .folder(let names), .directory(let names):
            if scheme.lowercased() == "file", rest.hasPrefix(":") { return reference }
            if isWindowsPath || rest.hasPrefix("://") { return nil }
            guard let path = Self.path(reference, in: names) else { return nil }
            if path.hasPrefix("/") { return FileURL.text(path) }
            // The names are not percent-encoded yet.
            if case .directory = self { return FileURL.text("/" + path) }
            return path
        }
    }

    /// Lists written on Windows use backslashes.
    private static func path(_ reference: String, in folder: [String]) -> String? {
        let path = reference.contains("/") ? reference : reference.replacing("\\", with: "/")
        if path.hasPrefix("/") { return path }
        var names = folder
        for name in path.split(separator: "/") where name != "." {
            guard name == ".." else {
                names.append(String(name))
                continue
            }
            guard names.popLast() != nil else { return nil }
        }
        return names.isEmpty ? nil : names.joined(separator: "/")
    }
}
