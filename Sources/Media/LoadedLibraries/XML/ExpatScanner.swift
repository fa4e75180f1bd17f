// SPDX-License-Identifier: Apache-2.0

internal import CExpat
internal import Kernel
public import Media

/// Parses XML by expat. Entity declarations and external resources are refused, so that a small document cannot expand to a large one.
public struct ExpatScanner: XMLScanner {
    /// Loaded at the first XML list.
    private static let library = Result { () throws(MissingLibrary) in try LoadedLibrary(cexpat(), cexpat_load) }

    public init() {}

    /// Bytes of a document.
    private static let longest = 16 << 20
    /// Bytes of a tag or comment: expat keeps it whole, and each attribute takes many times its length.
    private static let longestTag = 256 << 10
    private static let portion = 64 << 10

    public func scan(_ pieces: some Sequence<[UInt8]>, _ handle: (XMLEvent) -> Bool) throws(XMLScanError) {
        let expat = try Self.library.mapError { XMLScanError($0.reason) }.get().functions.pointee
        guard let parser = expat.ParserCreate(nil) else { throw XMLScanError("out of memory") }
        defer { expat.ParserFree(parser) }
        // The handlers do not outlive this call.
        try withoutActuallyEscaping(handle) { handle throws(XMLScanError) in
            let context = Context(parser, expat, handle)
            expat.SetUserData(parser, Unmanaged.passUnretained(context).toOpaque())
            Self.setHandlers(parser, expat)
            var status = XML_STATUS_OK
            var length = 0
            func parse(_ bytes: ArraySlice<UInt8>, isLast: Bool) {
                status = bytes.withUnsafeBytes { buffer in
                    expat.Parse(
                        parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: buffer.count),
                        isLast ? 1 : 0)
                }
            }
            document: for piece in pieces {
                for start in stride(from: 0, to: piece.count, by: Self.portion) {
                    let bytes = piece[start...].prefix(Self.portion)
                    length += bytes.count
                    guard length <= Self.longest else {
                        throw XMLScanError("it is longer than \(Self.longest >> 20) MB")
                    }
                    parse(bytes, isLast: false)
                    guard status == XML_STATUS_OK, !context.isDone else { break document }
                    // The start of a tag that is not complete yet.
                    let tag = expat.GetCurrentByteIndex(parser)
                    guard tag < 0 || length - tag <= Self.longestTag else {
                        throw XMLScanError("a tag is longer than \(Self.longestTag >> 10) KB")
                    }
                }
            }
            if status == XML_STATUS_OK, !context.isDone { parse([], isLast: true) }
            context.flush()
            if let refusal = context.refusal { throw XMLScanError(refusal) }
            guard status != XML_STATUS_OK, !context.isDone else { return }
            let text = expat.ErrorString(expat.GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown"
            throw XMLScanError("\(text), line \(expat.GetCurrentLineNumber(parser))")
        }
    }

    /// Describes an encoding beyond UTF-8, UTF-16, Latin-1 and ASCII, which expat supports. Only sets of one byte a character, as
    /// older lists are written in. A byte without a character counts as Latin-1.
    private static func describe(_ name: String, _ encoding: UnsafeMutablePointer<XML_Encoding>) -> Bool {
        let name = name.lowercased()
        let sets = ["windows-125", "cp125", "iso-8859-", "koi8-"]
        guard sets.contains(where: { name.hasPrefix($0) }) else { return false }
        let characters = (UInt8.min...UInt8.max).map { byte in
            byte < 0x80 ? nil : LegacyEncoding.convert([byte], from: name)?.unicodeScalars.first
        }
        // The C library does not know every name.
        guard characters.contains(where: { $0 != nil }) else { return false }
        withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
            for (byte, character) in characters.enumerated() {
                map.storeBytes(of: Int32(character?.value ?? UInt32(byte)), toByteOffset: byte * 4, as: Int32.self)
            }
        }
        return true
    }

    private static func setHandlers(_ parser: XML_Parser, _ expat: cexpat) {
        expat.SetElementHandler(
            parser,
            { context, name, attributes in
                guard let context, let name else { return }
                var found: [String: String] = [:]
                var next = attributes
                while let name = next?.pointee, let value = next?.successor().pointee {
                    found[String(cString: name).streamSafe.lowercased()] = String(cString: value).streamSafe
                    next = next?.advanced(by: 2)
                }
                Context.of(context).report(.start(String(cString: name).streamSafe.lowercased(), found))
            },
            { context, name in
                guard let context, let name else { return }
                Context.of(context).report(.end(String(cString: name).streamSafe.lowercased()))
            })
        expat.SetCharacterDataHandler(parser) { context, text, count in
            guard let context, let text else { return }
            Context.of(context).append(UnsafeRawBufferPointer(start: text, count: Int(count)))
        }
        expat.SetUnknownEncodingHandler(
            parser,
            { _, name, encoding in
                guard let name, let encoding else { return 0 }
                return ExpatScanner.describe(String(cString: name), encoding) ? 1 : 0
            }, nil)
        expat.SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
            guard let context else { return }
            Context.of(context).refuse("it declares entities")
        }
    }

    /// State of one scan, on the calling thread.
    private final class Context {
        static let deepest = 256
        static let longestText = 1 << 20

        private let parser: XML_Parser
        private let expat: cexpat
        private let handle: (XMLEvent) -> Bool
        private var text: [UInt8] = []
        private var depth = 0
        private(set) var isDone = false
        private(set) var refusal: String?

        init(_ parser: XML_Parser, _ expat: cexpat, _ handle: @escaping (XMLEvent) -> Bool) {
            self.parser = parser
            self.expat = expat
            self.handle = handle
        }

        static func of(_ context: UnsafeMutableRawPointer) -> Context {
            Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
        }

        func report(_ event: XMLEvent) {
            flush()
            if case .start = event { depth += 1 }
            if case .end = event { depth -= 1 }
            if depth > Self.deepest { refuse("it is nested deeper than \(Self.deepest) elements") }
            pass(event)
        }

        func append(_ bytes: UnsafeRawBufferPointer) {
            guard !isDone else { return }
            if text.count + bytes.count <= Self.longestText { text.append(contentsOf: bytes) }
        }

        func flush() {
            guard !text.isEmpty else { return }
            let whole = String(decoding: text, as: UTF8.self).streamSafe
            text = []
            pass(.text(whole))
        }

        func refuse(_ reason: String) {
            if refusal == nil { refusal = reason }
            end()
        }

        private func pass(_ event: XMLEvent) {
            guard !isDone else { return }
            if !handle(event) { end() }
        }

        private func end() {
            isDone = true
            _ = expat.StopParser(parser, XML_Bool(XML_FALSE))
        }
    }
}
