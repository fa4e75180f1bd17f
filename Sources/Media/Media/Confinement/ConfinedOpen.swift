// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// Opens a path beneath a directory and nothing outside it, in spite of symbolic links and concurrent renames.
enum ConfinedOpen {
    enum Failure: Error, Equatable {
        /// The path leads outside, by a symbolic link or through /proc.
        case outside
        case system(Int32)
    }

    /// Opens `components` beneath the directory `root`. `rootPath`: the real path of `root`, to follow absolute links that point into
    /// it. `flags` as for open(2), plus O_CLOEXEC, O_NOCTTY and O_NONBLOCK, so that a FIFO does not block and a terminal does not
    /// attach.
    static func open(
        _ components: [[UInt8]], beneath root: borrowing OwnedDescriptor, rootPath: @autoclosure () -> [UInt8],
        flags: Int32,
        mayUseOpenat2: Bool = true
    ) throws(Failure) -> OwnedDescriptor {
        let flags = flags | O_CLOEXEC | (flags & clinux_o_path == 0 ? O_NOCTTY | O_NONBLOCK : 0)
        if mayUseOpenat2 {
            let path =
                components.isEmpty ? [UInt8(ascii: ".")] : Array(components.joined(separator: [UInt8(ascii: "/")]))
            for _ in 0..<8 {
                let number = withCString(path) { clinux_open_beneath(root.number, $0, flags) }
                if number >= 0 { return OwnedDescriptor(number) }
                // EAGAIN: a concurrent rename. EXDEV may be an absolute link into the root; ENOSYS and EPERM mean that the
                // system call is missing or blocked: the walk decides.
                switch errno {
                case EAGAIN, EINTR: continue
                case EXDEV, ENOSYS, EPERM: break
                case let code: throw .system(code)
                }
                break
            }
        }
        return try Walk(root: root, rootPath: rootPath(), flags: flags).open(components)
    }

    static func withCString<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
        }
    }
}

/// Opens component by component with O_NOFOLLOW and resolves links itself. `..` returns to a directory that was opened on the way
/// down, so that no rename can lead outside.
private struct Walk: ~Copyable {
    private var directories: [Int32]
    private let rootPath: [UInt8]
    private let flags: Int32
    private var linksLeft = 40

    init(root: borrowing OwnedDescriptor, rootPath: [UInt8], flags: Int32) throws(ConfinedOpen.Failure) {
        guard let copy = Descriptor.duplicate(root.number) else { throw .system(errno) }
        directories = [copy]
        self.rootPath = rootPath
        self.flags = flags
    }

    deinit {
        for descriptor in directories { close(descriptor) }
    }

    consuming func open(_ components: [[UInt8]]) throws(ConfinedOpen.Failure) -> OwnedDescriptor {
        var pending = Array(components.reversed())
        while let name = pending.popLast() {
            if name == [UInt8(ascii: ".")] { continue }
            if name.elementsEqual("..".utf8) {
                guard directories.count > 1 else { throw .outside }
                close(directories.removeLast())
                continue
            }
            let isLast = pending.isEmpty
            let wanted = isLast ? flags | O_NOFOLLOW : clinux_o_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            let directory = directories[directories.count - 1]
            let number = ConfinedOpen.withCString(name) { openat(directory, $0, wanted) }
            let code = errno
            if let target = link(name, openedAs: number) {
                if number >= 0 { close(number) }
                try follow(target, into: &pending)
            } else if number < 0 {
                throw .system(code)
            } else if isLast {
                return OwnedDescriptor(number)
            } else {
                directories.append(number)
            }
        }
        let number = openat(directories[directories.count - 1], ".", flags)
        guard number >= 0 else { throw .system(errno) }
        return OwnedDescriptor(number)
    }

    /// The link's target; nil if `name` is not a link. O_PATH opens the link itself; without it, opening a link fails.
    private func link(_ name: [UInt8], openedAs number: Int32) -> [UInt8]? {
        if number >= 0, flags & clinux_o_path == 0 { return nil }
        var target = [CChar](repeating: 0, count: 4_096)
        let length = ConfinedOpen.withCString(name) {
            readlinkat(directories[directories.count - 1], $0, &target, 4_096)
        }
        return length < 0 ? nil : target.prefix(length).map { UInt8(bitPattern: $0) }
    }

    private mutating func follow(_ target: [UInt8], into pending: inout [[UInt8]]) throws(ConfinedOpen.Failure) {
        linksLeft -= 1
        guard linksLeft > 0 else { throw .system(ELOOP) }
        var rest = target[...]
        if target.first == UInt8(ascii: "/") {
            guard let inside = MusicRoots.suffix(of: target, beneath: rootPath) else { throw .outside }
            rest = inside
            for descriptor in directories.dropFirst() { close(descriptor) }
            directories.removeLast(directories.count - 1)
        }
        pending.append(contentsOf: rest.split(separator: UInt8(ascii: "/")).reversed().map(Array.init))
    }
}
