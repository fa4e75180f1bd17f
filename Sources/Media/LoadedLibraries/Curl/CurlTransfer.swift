// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Glibc
internal import Kernel
internal import Media

/// One GET: an easy handle and the state of its callbacks. Lives on the network thread.
final class CurlTransfer {
    let id: TransferID
    let easy: UnsafeMutableRawPointer
    private let library: CurlLibrary
    private let receiver: any TransferReceiver
    private let host: String
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var aliases: UnsafeMutablePointer<curl_slist>?
    private var head = HeadReader()
    private var check: ConnectionCheck

    init(
        _ request: TransferRequest, id: TransferID, receiver: any TransferReceiver,
        _ configuration: CurlTransport.Configuration, _ library: CurlLibrary
    ) throws(MissingLibrary) {
        guard let easy = library.functions.pointee.easy_init() else {
            throw MissingLibrary(reason: "out of memory")
        }
        self.id = id
        self.easy = easy
        self.library = library
        self.receiver = receiver
        host = request.address.host
        let proxy = configuration.proxies.proxy(for: request.address)
        check = ConnectionCheck(request, usesProxy: proxy != nil)
        set(request, configuration)
        // Empty values keep libcurl from reading proxies and exceptions from the environment itself.
        set(CURLOPT_PROXY, proxy ?? "")
        set(CURLOPT_NOPROXY, "")
        try setChecks()
    }

    deinit {
        curl.easy_cleanup(easy)
        curl.slist_free_all(fields)
        curl.slist_free_all(aliases)
    }

    private var curl: ccurl { library.functions.pointee }

    func resume() { _ = curl.easy_pause(easy, CURLPAUSE_CONT) }

    func finished(_ code: CURLcode) {
        receiver.ended(
            head.refusal.map { .permanent("\(host) \($0)") } ?? refusal(code) ?? failure(code), of: id)
    }

    /// By the possible reaction; nil for success.
    private func failure(_ code: CURLcode) -> TransferFailure? {
        let text = library.text(of: code)
        switch code {
        case CURLE_OK: return nil
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            return .permanent("The certificate of \(host) cannot be trusted: \(text).")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY:
            return .permanent("\(host) does not answer in HTTP: \(text).")
        case CURLE_WRITE_ERROR, CURLE_OUT_OF_MEMORY, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_FAILED_INIT,
            CURLE_BAD_CONTENT_ENCODING:
            return .permanent("The answer of \(host) cannot be used: \(text).")
        case CURLE_COULDNT_RESOLVE_HOST: return .transient("The name \(host) was not found.")
        case CURLE_COULDNT_RESOLVE_PROXY: return .transient("The name of the proxy was not found.")
        case CURLE_COULDNT_CONNECT: return .transient("\(host) cannot be reached: \(text).")
        case CURLE_OPERATION_TIMEDOUT: return .transient("\(host) did not answer in time.")
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
            return .transient("\(host) broke the connection off.")
        default: return .transient("The connection to \(host) failed: \(text).")
        }
    }

    /// A refused address fails the transfer only if no other address works.
    private func refusal(_ code: CURLcode) -> TransferFailure? {
        code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK ? check.failure(of: host) : nil
    }

    // MARK: Options

    private func set(_ request: TransferRequest, _ configuration: CurlTransport.Configuration) {
        set(CURLOPT_URL, request.address.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: request.connectLimit * 1_000))
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_BUFFERSIZE, 64 * 1_024)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_USERAGENT, configuration.userAgent)
        // Never send credentials from a netrc file.
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        if let authorities = configuration.authorities { set(CURLOPT_CAINFO, authorities) }
        // The status line of old radio servers.
        aliases = curl.slist_append(nil, "ICY 200")
        ccurl_set_list(library.functions, easy, CURLOPT_HTTP200ALIASES, aliases)
        for field in [TransferHeader("Accept", "*/*"), TransferHeader("Accept-Encoding", "identity")] + request.headers
        {
            // libcurl's syntax for an empty value is a semicolon; "name:" would remove the field.
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            if let longer = curl.slist_append(fields, line) { fields = longer }
        }
        ccurl_set_list(library.functions, easy, CURLOPT_HTTPHEADER, fields)
        setCallbacks()
    }

    private func setCallbacks() {
        // Unretained, because the handle is removed from the multi handle before this object is freed.
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(library.functions, easy, CURLOPT_HEADERDATA, context)
        ccurl_set_data_function(library.functions, easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().headerLine(line)
        }
        ccurl_set_pointer(library.functions, easy, CURLOPT_WRITEDATA, context)
        ccurl_set_data_function(library.functions, easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let data = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().body(data)
        }
    }

    /// Throws if libcurl does not support a check: no transfer runs without it.
    private func setChecks() throws(MissingLibrary) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let takesSockets = ccurl_set_socket_function(library.functions, easy) { context, _, address in
            guard let context, let address else { return Int32(ccurl_no_socket) }
            return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().socket(to: address)
        }
        let takesRequests = ccurl_set_request_function(library.functions, easy) { context, address, _, _, _ in
            guard let context, let address else { return Int32(ccurl_request_abort) }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.check.mayRequest(from: String(cString: address))
                ? Int32(ccurl_request_ok) : Int32(ccurl_request_abort)
        }
        let codes = [
            takesSockets, takesRequests, ccurl_set_pointer(library.functions, easy, CURLOPT_OPENSOCKETDATA, context),
            ccurl_set_pointer(library.functions, easy, CURLOPT_PREREQDATA, context),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else {
            throw MissingLibrary(reason: "libcurl is older than 7.80 and does not check addresses")
        }
    }

    private func set(_ option: CURLoption, _ value: Int) {
        ccurl_set_long(library.functions, easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        ccurl_set_text(library.functions, easy, option, value)
    }

    // MARK: Callbacks

    private func socket(to address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let place = ccurl_address(address), check.mayConnect(to: place) else { return Int32(ccurl_no_socket) }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return Glibc.socket(address.pointee.family, kind, address.pointee.`protocol`)
    }

    private func headerLine(_ line: UnsafeRawBufferPointer) -> Int {
        if var whole = head.take(line) {
            // Set before the request was sent; `.public` leads to the strictest reach.
            whole.zone = check.zone ?? .public
            receiver.head(whole, of: id)
        }
        // Any other count aborts the transfer.
        return head.refusal == nil ? line.count : 0
    }

    private func body(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch receiver.body(bytes, of: id) {
        case .taken: bytes.count
        case .pause: Int(ccurl_write_pause)
        }
    }
}
