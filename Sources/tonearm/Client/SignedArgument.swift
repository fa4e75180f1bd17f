// SPDX-License-Identifier: Apache-2.0

/// The one argument of a command in which -10 is no option: ArgumentParser's `allUnrecognized`, which also takes `--` for a value.
enum SignedArgument {
    /// nil when there is none, or several.
    static func only(_ texts: [String]) -> String? {
        let rest = texts.first == "--" ? texts.dropFirst() : texts[...]
        return rest.count == 1 ? rest.first : nil
    }

    static func discussion(_ example: String) -> String {
        "\(example) may stand as it is, or behind -- as any other argument that begins with a hyphen."
    }
}
