// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

// The C functions that real-time code may call. The compiler cannot inspect them and rejects them in `@_noLocks` code. Those
// listed here are known to neither lock nor allocate.

@_semantics("no_performance_analysis")
func copySamples(_ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int) {
    memcpy(target, source, count * MemoryLayout<Float>.stride)
}

/// A system call that never sleeps.
@_semantics("no_performance_analysis")
func wakeSleepers(on word: UnsafeMutableRawPointer) { clinux_futex_wake_all(word) }

@_semantics("no_performance_analysis")
func sine(_ angle: Double) -> Double { sin(angle) }

@_semantics("no_performance_analysis")
func decibels(power: Double) -> Double { 10 * log10(power) }

@_semantics("no_performance_analysis")
func amplitude(decibels: Double) -> Double { exp(decibels * 0.115129254649702284) }

@_semantics("no_performance_analysis")
func flushDenormals() -> UInt64 { clinux_flush_denormals() }

@_semantics("no_performance_analysis")
func restoreDenormals(_ mode: UInt64) { clinux_restore_denormals(mode) }
