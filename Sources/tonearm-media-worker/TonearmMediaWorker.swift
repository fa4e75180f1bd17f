// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Started by the server with a socket and shared memory; useless on its own.
@main
enum TonearmMediaWorker {
    static func main() {
        let isTrial = CommandLine.arguments.dropFirst().first == "--sandbox-trial"
        guard var service = isTrial ? nil : WorkerService() else {
            if isTrial { tryOut() }
            log("this program decodes for tonearm; tonearm serve starts it when it is needed")
            exit(64)
        }
        enterSandbox()
        service.run()
    }

    private static func enterSandbox() {
        do throws(Sandbox.Failure) {
            try Sandbox.enter()
        } catch {
            log("no sandbox: \(error.call): \(String(cString: strerror(error.code)))")
            exit(77)
        }
    }

    /// Exits with 0 if the sandbox holds.
    private static func tryOut() -> Never {
        let layer = SandboxTrial.layerBreaches()
        enterSandbox()
        let breaches = layer + SandboxTrial.breaches()
        for breach in breaches { log("the sandbox lets a program \(breach)") }
        exit(breaches.isEmpty ? 0 : 1)
    }

    private static func log(_ text: String) {
        let line = text + "\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }
}
