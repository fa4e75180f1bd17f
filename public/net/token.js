// SPDX-License-Identifier: Apache-2.0

const key = "tonearm.token";

/** The token of a link (`...#token=...`), or null. */
export function tokenIn(link) {
  return new URLSearchParams(link.split("#")[1]).get("token");
}

/** Takes the token out of the address, so that it is neither shown nor bookmarked, and keeps it. */
export function takeTokenFromAddress() {
  const token = tokenIn(location.hash);
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
