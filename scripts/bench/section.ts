// SPDX-License-Identifier: Apache-2.0
// Chapters of a page that are written apart.

/** Where a chapter begins and ends in a page; null: there is none. */
function placeOf(text: string, title: string): readonly [start: number, end: number] | null {
  const start = text.indexOf(`${title}\n`);
  if (start < 0) return null;
  const next = text.indexOf("\n## ", start);
  return [start, next < 0 ? text.length : next + 1];
}

/**
 * A page with another chapter of a title, `## …`; where it had none before, in front of the chapter on how to reproduce
 * it.
 */
export function withSection(text: string, title: string, section: string): string {
  const place = placeOf(text, title);
  if (place !== null) return text.slice(0, place[0]) + section + text.slice(place[1]);
  const at = text.indexOf("## How to reproduce it");
  return at < 0 ? `${text}\n${section}` : text.slice(0, at) + section + text.slice(at);
}
