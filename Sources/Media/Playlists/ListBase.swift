// SPDX-License-Identifier: Apache-2.0

/// Where a list lies, which is what its references start from. A list from the network never names a file here.
enum ListBase: Hashable {
    /// Names of folders below the music roots.
    case folder([String])
    case web(WebAddress)

    /// Of a list in the music folders.
    init(localList uri: String) {
        self = .folder(uri.split(separator: "/").dropLast().map(String.init))
    }

    /// Where a list itself says that its references start from.
    func moved(to base: String?) -> ListBase {
        guard let base, let uri = resolve(base), let address = WebAddress(uri) else { return self }
        return .web(address)
    }

    /// A `uri` for the queue; nil for what leads elsewhere than to the music folders or the web.
    func resolve(_ reference: String) -> String? {
        if let address = WebAddress(reference) { return address.url }
        let scheme = reference.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let rest = reference.dropFirst(scheme.count)
        let isWindowsPath = scheme.count == 1 && rest.hasPrefix(":")
        switch self {
        case .web(let base):
            // A scheme of one letter is a drive.
            if !scheme.isEmpty, rest.hasPrefix(":") { return nil }
            return base.redirected(to: reference).map(\.url)
        case .folder(let folder):
            if scheme.lowercased() == "file", rest.hasPrefix(":") { return reference }
            if isWindowsPath || rest.hasPrefix("://") { return nil }
            return Self.path(reference, in: folder)
        }
    }

    /// Lists written on Windows separate with backslashes.
    private static func path(_ reference: String, in folder: [String]) -> String? {
        let path = reference.contains("/") ? reference : reference.replacing("\\", with: "/")
        if path.hasPrefix("/") { return "file://" + escaped(path) }
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

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), ...0x20, 0x7F...:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            default: String(Unicode.Scalar(byte))
            }
        }.joined()
    }
}
