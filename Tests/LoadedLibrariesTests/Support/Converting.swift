// SPDX-License-Identifier: Apache-2.0

import Glibc
import Playback

/// All output for mono `input`, which goes in by `chunk` frames.
func convert(_ input: [Float], by converter: any FrameConverter, chunk: Int) -> [Float] {
    var result: [Float] = []
    var output = [Float](repeating: 0, count: 1_000)
    input.withUnsafeBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            for start in stride(from: 0, to: input.count, by: chunk) {
                var rest = UnsafeBufferPointer(rebasing: input[start..<min(input.count, start + chunk)])
                while !rest.isEmpty {
                    let (taken, given) = converter.convert(rest, into: output)
                    if taken == 0, given == 0 { return }
                    result += output[..<given]
                    rest = UnsafeBufferPointer(rebasing: rest.dropFirst(taken))
                }
            }
            while case let given = converter.finish(into: output), given > 0 { result += output[..<given] }
        }
    }
    return result
}

/// A sine of 1 kHz at half of full scale.
func tone(_ rate: Int = 44_100, seconds: Double = 1) -> [Float] {
    (0..<Int(Double(rate) * seconds)).map { Float(0.5 * sin(2 * .pi * 1_000 * Double($0) / Double(rate))) }
}
