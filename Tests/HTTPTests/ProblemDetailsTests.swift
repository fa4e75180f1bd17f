// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct ProblemDetailsTests {
    @Test func textIsEscaped() {
        let problem = ProblemDetails(status: 400, code: "c", title: "A \"b\" \\", detail: "line\nnext é")
        #expect(
            problem.json
                == #"{"type":"urn:tonearm:problem:c","title":"A \"b\" \\","status":400,"detail":"line\u000anext é","code":"c"}"#
        )
        #expect(problem.response().headers["Content-Type"] == "application/problem+json")
    }

    @Test func memberAtFaultIsNamed() {
        let problem = ProblemDetails(status: 422, code: "invalid", title: "t", detail: "d", member: "a\"b\u{1}")
        #expect(problem.json.hasSuffix(#""code":"invalid","member":"a\"b\u0001"}"#))
    }
}
