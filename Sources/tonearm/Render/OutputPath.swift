// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An output file that appears under its name only when it is complete.
struct OutputPath {
    private let path: String

    /// `input`: the file that is read, which must not be replaced.
    init(_ path: String, input: String? = nil) throws {
        guard path != "-" else {
            throw Failure("The file's length is written last, which a pipe does not allow; name a file.")
        }
        var (output, source) = (stat(), stat())
        if stat(path, &output) == 0 {
            switch output.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFDIR: throw Failure("\(path) is a directory; name a file in it.")
            default: throw Failure("\(path) is not a regular file.")
            }
            if let input, stat(input, &source) == 0, source.st_dev == output.st_dev, source.st_ino == output.st_ino {
                throw Failure("\(path) is the input itself; name another file.")
            }
        }
        self.path = path
    }

    /// `write` creates the file at the given path. If it throws, no file is left.
    func produce(_ write: (String) throws -> Void) throws {
        let partial = path + ".partial"
        do {
            try write(partial)
        } catch {
            unlink(partial)
            throw error
        }
        guard rename(partial, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(partial)
            throw Failure("cannot write \(path): \(reason)", .cannotCreate)
        }
    }
}
