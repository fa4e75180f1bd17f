// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Media

/// libcurl's results by what to do about them.
enum CurlFailure {
    /// nil for success. `text` is libcurl's for the code.
    static func of(_ code: CURLcode, _ text: String, host: String) -> TransferFailure? {
        switch code {
        case CURLE_OK: return nil
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            return .permanent("The certificate of \(host) cannot be trusted: \(text).")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY:
            return .permanent("\(host) does not answer in HTTP: \(text).")
        case CURLE_WRITE_ERROR, CURLE_OUT_OF_MEMORY, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_FAILED_INIT,
            CURLE_BAD_CONTENT_ENCODING:
            return .permanent("The answer of \(host) cannot be used: \(text).")
        case CURLE_COULDNT_RESOLVE_HOST: return .transient("There is no address for \(host).")
        case CURLE_COULDNT_RESOLVE_PROXY: return .transient("There is no address for the proxy.")
        case CURLE_COULDNT_CONNECT: return .transient("\(host) cannot be reached: \(text).")
        case CURLE_OPERATION_TIMEDOUT: return .transient("\(host) did not answer in time.")
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
            return .transient("\(host) broke the connection off.")
        default: return .transient("The connection to \(host) failed: \(text).")
        }
    }
}
