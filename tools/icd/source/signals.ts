// SPDX-License-Identifier: Apache-2.0
// What travels by the socket where frames travel in the channel (native/stream.h).

/** Kinds of signals. @internal */
export const SignalKind = { ring: 0, waiting: 1, reading: 2, stuck: 3, answered: 4 } as const;

/** Bytes of a signal: the kind, the counters of the side that sends it, the request. */
const SIGNAL_BYTES = 16;

/** A signal by which the library looks after its server. @internal */
export interface Signal {
  readonly kind: number;
  /** What the library has put in, and taken out. */
  readonly produced: number;
  readonly consumed: number;
  /** What it waits for; 0: nothing. */
  readonly request: number;
}

/** The signals of the library that tell more than a ring. @internal */
export function signalsOf(bytes: Uint8Array): readonly Signal[] {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const signals: Signal[] = [];
  for (let at = 0; at + SIGNAL_BYTES <= bytes.length; at += SIGNAL_BYTES) {
    const kind = words.getUint32(at, true);
    if (kind === SignalKind.ring) continue;
    signals.push({
      kind,
      produced: words.getUint32(at + 4, true),
      consumed: words.getUint32(at + 8, true),
      request: words.getUint32(at + 12, true),
    });
  }
  return signals;
}
