// SPDX-License-Identifier: Apache-2.0

import "./access-note/access-note.js";
import "./browse-switch/browse-switch.js";
import "./cache-list/cache-list.js";
import "./confirm-dialog/confirm-dialog.js";
import "./connection-banner/connection-banner.js";
import "./library-browser/library-browser.js";
import "./lock-screen-toggle/lock-screen-toggle.js";
import "./lyrics-view/lyrics-view.js";
import "./mini-player/mini-player.js";
import "./music-browser/music-browser.js";
import "./now-playing/now-playing.js";
import "./output-picker/output-picker.js";
import "./player-picker/player-picker.js";
import "./playlist-browser/playlist-browser.js";
import "./queue-list/queue-list.js";
import "./recorder-panel/recorder-panel.js";
import "./seek-bar/seek-bar.js";
import "./session-dialog/session-dialog.js";
import "./shortcuts-dialog/shortcuts-dialog.js";
import "./theme-toggle/theme-toggle.js";
import "./toast-stack/toast-stack.js";
import "./token-dialog/token-dialog.js";
import "./transport-controls/transport-controls.js";
import "./volume-control/volume-control.js";
import "./web-panel/web-panel.js";
