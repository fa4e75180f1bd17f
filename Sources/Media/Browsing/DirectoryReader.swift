// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads the names in a directory, with what the file system tells without a stat.
struct DirectoryReader: ~Copyable {
    enum Kind { case directory, file, link, unknown, other }

    private let stream: OpaquePointer

    /// Takes over a descriptor of a directory that is open for reading; nil when it is none.
    init?(_ descriptor: consuming OwnedDescriptor) {
        let number = descriptor.release()
        guard let stream = fdopendir(number) else {
            close(number)
            return nil
        }
        self.stream = stream
    }

    deinit {
        closedir(stream)
    }

    var descriptor: Int32 { dirfd(stream) }

    /// The next name that is not hidden; nil at the end (or when the directory went away).
    func next() -> (name: [UInt8], kind: Kind)? {
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) }
            if name.first == UInt8(ascii: ".") { continue }
            switch Int(entry.pointee.d_type) {
            case Int(DT_DIR): return (name, .directory)
            case Int(DT_REG): return (name, .file)
            case Int(DT_LNK): return (name, .link)
            case Int(DT_UNKNOWN): return (name, .unknown)
            default: return (name, .other)
            }
        }
        return nil
    }
}
