// SPDX-License-Identifier: Apache-2.0
// The files that a compilation has read: each is one text to it, however often it is included.

/** Files as they were when they were read first. */
export class FileMemory {
  private readonly known = new Map<string, string | null>();
  private readonly fetch: (path: string) => string | null;

  constructor(fetch: (path: string) => string | null) {
    this.fetch = fetch;
  }

  readonly read = (path: string): string | null => {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    const text = this.fetch(path);
    this.known.set(path, text);
    return text;
  };
}
