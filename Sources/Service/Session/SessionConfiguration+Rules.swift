// SPDX-License-Identifier: Apache-2.0

public import Playback

extension SessionRules {
    /// What a configuration means for those who play.
    public init(_ configuration: SessionConfiguration, silentSwitch: Bool) {
        self.init()
        let options = configuration.effectiveOptions
        if !configuration.category.playsSound {
            refusal = "The session's category is \(configuration.category.rawValue): nothing is played."
        }
        isSilenced = silentSwitch && configuration.category.obeysSilentSwitch
        role = configuration.mode.role
        isUnprocessed = configuration.mode == .measurement
        if configuration.category == .playAndRecord {
            routes.allowsBluetooth = !options.isDisjoint(with: [.allowBluetooth, .allowBluetoothA2DP])
            routes.allowsNetwork = options.contains(.allowAirPlay)
        }
        routes.prefersSpeaker = options.contains(.defaultToSpeaker)
    }

    /// For what is heard beside the music, which the lock cannot interrupt.
    public init(besideMusic status: SessionStatus) {
        self.init(status.configuration, silentSwitch: status.silentSwitch)
        if status.isLocked, status.configuration.category.obeysLock {
            refusal = "The screen is locked, which \(status.configuration.category.rawValue) obeys."
        }
    }
}
