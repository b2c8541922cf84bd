// SPDX-License-Identifier: Apache-2.0
// Makes a text small while a property stays: takes runs of lines, then of characters, away.

function withoutRuns(
  pieces: readonly string[],
  joint: string,
  stays: (text: string) => boolean,
  limit: number,
): string[] {
  let kept = [...pieces];
  let tried = 0;
  for (let size = Math.max(1, kept.length >> 1); size >= 1; size = size === 1 ? 0 : size >> 1) {
    for (let at = 0; at < kept.length && tried < limit;) {
      tried++;
      const smaller = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (stays(smaller.join(joint))) kept = smaller;
      else at += size;
    }
  }
  return kept;
}

/** The smallest text that was found; `limit` bounds the texts that are tried at each of two steps. */
export function reduceText(text: string, stays: (text: string) => boolean, limit = 2000): string {
  const lines = withoutRuns(text.split("\n"), "\n", stays, limit).join("\n");
  return withoutRuns(Array.from(lines), "", stays, limit).join("");
}
