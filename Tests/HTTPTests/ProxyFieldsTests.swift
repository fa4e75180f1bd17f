// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct ProxyFieldsTests {
    @Test(arguments: [
        "Forwarded", "Via", "X-Forwarded", "x-forwarded-proto", "X-Forwarded-For", "Forwarded-For", "X_Forwarded_For",
        "X-ForwardedFor", "Max-Forwards", "Proxy-Connection", "X-ProxyUser-Ip", "X-Real-IP", "X-Client-IP", "Client-IP",
        "X-Cluster-Client-IP", "CF-Connecting-IP", "True-Client-IP", "Fastly-Client-IP", "Ali-CDN-Real-IP",
        "X-Originating-IP", "X-Azure-ClientIP", "X-Envoy-External-Address", "CDN-Loop", "X-Amzn-Trace-Id",
        "X-Original-URL", "X-Original-Host", "X_Real_IP", "X-RealIP", "X-Via", "HTTP_VIA", "Remote-Addr",
        "X-Azure-SocketIP",
    ])
    func fieldOfAProxyIsRecognised(_ name: String) {
        #expect(HTTPHeaders([("Host", "localhost"), (name, "")]).isForwarded)
    }

    @Test(arguments: [
        "Host", "Origin", "Referer", "User-Agent", "Accept", "Accept-Language", "Sec-Fetch-Site", "Sec-CH-UA-Platform",
        "Cookie", "DNT", "Connection", "Upgrade-Insecure-Requests", "Priority", "X-Requested-With", "Authorization",
        "Content-Type", "Idempotency-Key", "If-Match", "Last-Event-ID", "Sec-WebSocket-Key", "Range", "Expect",
    ])
    func fieldOfAClientIsNot(_ name: String) { #expect(!HTTPHeaders([(name, "a")]).isForwarded) }
}
