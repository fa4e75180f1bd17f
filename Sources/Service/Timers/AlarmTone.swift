// SPDX-License-Identifier: Apache-2.0

/// What an alarm sounds when nothing else does. It is made in the server, which plays it under this address.
public enum AlarmTone {
    public static let uri = "tonearm:alarm"
}
