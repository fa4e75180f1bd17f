// SPDX-License-Identifier: Apache-2.0

/// Rows of text in aligned columns, for people at a terminal.
struct Table {
    enum Alignment { case left, right }

    private let columns: [Alignment]
    private var rows: [[String]] = []

    init(columns: [Alignment]) { self.columns = columns }

    mutating func add(_ cells: String...) {
        // Tags and file names must not control the terminal.
        rows.append(cells.map(Self.printable))
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Lines without a trailing newline. Widths are in characters, which is right for most scripts.
    var text: String {
        let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let space = String(repeating: " ", count: widths[column] - cell.count)
                line += (column > 0 ? "  " : "") + (columns[column] == .left ? cell + space : space + cell)
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let properties = scalar.properties
                    return properties.generalCategory == .control || properties.isBidiControl ? " " : scalar
                }))
    }
}
