// SPDX-License-Identifier: Apache-2.0

const key = "tonearm.token";

/** Takes the token out of the address (`#token=...`), so that it is neither shown nor bookmarked, and keeps it. */
export function takeTokenFromAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const token = parameters.get("token");
  if (!token) return;
  keepToken(token);
  history.replaceState(null, "", location.pathname + location.search);
}

export function currentToken() {
  return localStorage.getItem(key);
}

export function keepToken(token) {
  localStorage.setItem(key, token);
}
