// SPDX-License-Identifier: Apache-2.0

import HTTP

/// Finds the route of a request. A path without parameters takes one look-up.
struct Router: Sendable {
    enum Match {
        case route(Route, parameters: [String])
        /// The path exists, the method does not.
        case methods(allow: String)
        case none
    }

    struct Resource: Sendable {
        var segments: [Substring]
        var routes: [HTTPMethod: Route] = [:]
        var allow = ""
    }

    private(set) var literal: [String: Resource] = [:]
    private(set) var patterns: [Resource] = []

    init(_ routes: [Route]) {
        for (pattern, group) in Dictionary(grouping: routes, by: \.pattern) {
            var resource = Resource(segments: pattern.split(separator: "/", omittingEmptySubsequences: false))
            for route in group { resource.routes[route.method] = route }
            var methods = group.map(\.method.rawValue) + ["OPTIONS"]
            if resource.routes[.get] != nil { methods.append("HEAD") }
            resource.allow = methods.sorted().joined(separator: ", ")
            if pattern.contains("{") {
                patterns.append(resource)
            } else {
                literal[pattern] = resource
            }
        }
    }

    func match(_ method: HTTPMethod, _ path: String) -> Match {
        if let resource = literal[path] { return Self.choose(resource, method, []) }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for resource in patterns where resource.segments.count == segments.count {
            if let parameters = Self.parameters(resource.segments, segments) {
                return Self.choose(resource, method, parameters)
            }
        }
        return .none
    }

    private static func choose(_ resource: Resource, _ method: HTTPMethod, _ parameters: [String]) -> Match {
        guard let route = resource.routes[method == .head ? .get : method] else {
            return .methods(allow: resource.allow)
        }
        return .route(route, parameters: parameters)
    }

    private static func parameters(_ pattern: [Substring], _ path: [Substring]) -> [String]? {
        var parameters: [String] = []
        for (expected, segment) in zip(pattern, path) {
            if expected.hasPrefix("{") {
                // Ids are plain ASCII, so a segment with an escape matches no id.
                parameters.append(String(segment))
            } else if expected != segment {
                return nil
            }
        }
        return parameters
    }
}
