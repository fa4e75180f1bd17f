// SPDX-License-Identifier: Apache-2.0

/// The object's members, declared once: for checking the types of calls, and for the `Introspect` document.
enum Introspection {
    struct Method {
        var name: String
        typealias Argument = (type: String, name: String)
        var takes: [Argument]
        var gives: [Argument]

        init(_ name: String, _ takes: [Argument] = [], gives: [Argument] = []) {
            (self.name, self.takes, self.gives) = (name, takes, gives)
        }
    }

    static let methods: [String: [Method]] = [
        InterfaceName.root: [Method("Raise"), Method("Quit")],
        InterfaceName.player: [
            Method("Next"), Method("Previous"), Method("Pause"), Method("PlayPause"), Method("Stop"), Method("Play"),
            Method("Seek", [("x", "Offset")]), Method("SetPosition", [("o", "TrackId"), ("x", "Position")]),
            Method("OpenUri", [("s", "Uri")]),
        ],
        InterfaceName.trackList: [
            Method("GetTracksMetadata", [("ao", "TrackIds")], gives: [("aa{sv}", "Metadata")]),
            Method("AddTrack", [("s", "Uri"), ("o", "AfterTrack"), ("b", "SetAsCurrent")]),
            Method("RemoveTrack", [("o", "TrackId")]), Method("GoTo", [("o", "TrackId")]),
        ],
        InterfaceName.properties: [
            Method("Get", [("s", "interface"), ("s", "property")], gives: [("v", "value")]),
            Method("Set", [("s", "interface"), ("s", "property"), ("v", "value")]),
            Method("GetAll", [("s", "interface")], gives: [("a{sv}", "values")]),
        ],
        InterfaceName.introspectable: [Method("Introspect", gives: [("s", "document")])],
    ]

    private static let signals: [String: [Method]] = [
        InterfaceName.player: [Method("Seeked", [("x", "Position")])],
        InterfaceName.trackList: [
            Method("TrackListReplaced", [("ao", "Tracks"), ("o", "CurrentTrack")]),
            Method("TrackAdded", [("a{sv}", "Metadata"), ("o", "AfterTrack")]),
            Method("TrackRemoved", [("o", "TrackId")]),
            Method("TrackMetadataChanged", [("o", "TrackId"), ("a{sv}", "Metadata")]),
        ],
        InterfaceName.properties: [
            Method("PropertiesChanged", [("s", "interface"), ("a{sv}", "changed"), ("as", "invalidated")])
        ],
    ]

    /// Property, type, access; `*` marks a property without a change signal.
    private static let properties: [String: [String]] = [
        InterfaceName.root: [
            "CanQuit b", "CanRaise b", "HasTrackList b", "Identity s", "SupportedUriSchemes as",
            "SupportedMimeTypes as",
        ],
        InterfaceName.player: [
            "PlaybackStatus s", "LoopStatus s rw", "Rate d rw", "Shuffle b rw", "Metadata a{sv}", "Volume d rw",
            "Position x *", "MinimumRate d", "MaximumRate d", "CanGoNext b", "CanGoPrevious b", "CanPlay b",
            "CanPause b", "CanSeek b", "CanControl b",
        ],
        InterfaceName.trackList: ["Tracks ao", "CanEditTracks b"],
    ]

    static func method(_ interface: String, _ member: String) -> Method? {
        methods[interface]?.first { $0.name == member }
    }

    static let document: String = {
        var text = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>

            """
        for interface in methods.keys.sorted() {
            text += " <interface name=\"\(interface)\">\n"
            for method in methods[interface] ?? [] { text += element("method", method, hasDirections: true) }
            for signal in signals[interface] ?? [] { text += element("signal", signal, hasDirections: false) }
            for property in properties[interface] ?? [] { text += element(property) }
            text += " </interface>\n"
        }
        return text + "</node>\n"
    }()

    private static func element(_ kind: String, _ method: Method, hasDirections: Bool) -> String {
        var text = "  <\(kind) name=\"\(method.name)\">\n"
        for (direction, arguments) in [("in", method.takes), ("out", method.gives)] {
            for argument in arguments {
                let way = hasDirections ? " direction=\"\(direction)\"" : ""
                text += "   <arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(way)/>\n"
            }
        }
        return text + "  </\(kind)>\n"
    }

    private static func element(_ property: String) -> String {
        let words = property.split(separator: " ").map(String.init)
        let access = words.contains("rw") ? "readwrite" : "read"
        let start = "  <property name=\"\(words[0])\" type=\"\(words[1])\" access=\"\(access)\""
        guard words.contains("*") else { return start + "/>\n" }
        return start + ">\n   <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"false\"/>\n"
            + "  </property>\n"
    }
}
