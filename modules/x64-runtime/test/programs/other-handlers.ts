// SPDX-License-Identifier: Apache-2.0
// Another addon puts its handlers over the bridge's: `hasHandlers` tells; where they hand on what is not theirs, faults
// of kernels and traps of WebAssembly stay what they are. Arguments: the folder, the addon's file. Prints JSON.
import { FAULTS, TRAPPING, engine, makeMemory, nameOf, open, place } from "./open.ts";

interface Other {
  readonly install: (word: number) => void;
  readonly seen: () => number;
}

const [folder = "", file = ""] = process.argv.slice(2);
const bridge = open(folder, makeMemory());
const codes = FAULTS.map(([, write]) => place(bridge, write));
const { f } = new engine.Instance(new engine.Module(TRAPPING)).exports;
const loaded: { exports: Partial<Other> } = { exports: {} };
process.dlopen(loaded, file);
const other = loaded.exports as Other;

/** How faults of kernels and a trap of WebAssembly end. */
function ends(): readonly string[] {
  const faults = FAULTS.map((_, n) => {
    bridge.setCode(codes[n] ?? 0);
    bridge.call(0, 0, 0, 0, 0, 0);
    return bridge.end;
  });
  return [...faults, nameOf(() => f?.())];
}

const before = bridge.hasHandlers();
other.install(1);
const under = bridge.hasHandlers();
const handedOn = ends();
const seen = other.seen();
other.install(0);
const after = bridge.hasHandlers();
const again = ends();
other.install(2);
const alone = bridge.hasHandlers();
other.install(0);
process.stdout.write(
  `${JSON.stringify({ before, under, handedOn, seen, after, again, seenThen: other.seen(), alone })}\n`,
);
