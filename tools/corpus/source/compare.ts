// SPDX-License-Identifier: Apache-2.0
// Differences between our verdict on a program and clang's, and what they have in common: the cause. Several clangs may
// be asked. What one of them takes we should take; what all of them refuse we should refuse, or
// warn of.
import { type Message, type Verdict, firstError, normalised } from "./verdict.ts";

/** A clang's verdict on a program. */
export interface ClangVerdict {
  /** Name of the clang, for example `clang 22`. */
  readonly clang: string;
  readonly verdict: Verdict;
}

/** The sort of a difference. The first three count; the others are told. */
export const KINDS = [
  "failed here",
  "refused here",
  "accepted here",
  "only warned here",
  "another line",
  "warned here",
  "warned there",
] as const;

/** One of {@link KINDS}. */
export type Kind = (typeof KINDS)[number];

/** Kinds that are wrong unless they are meant. */
export const COUNTING: ReadonlySet<Kind> = new Set(["failed here", "refused here", "accepted here"]);

/** What a compiler says, and where. */
export interface Place {
  /** Code and message; empty: it says nothing. */
  readonly text: string;
  readonly line: number;
}

/** A difference on one program. */
export interface Difference {
  readonly kind: Kind;
  readonly ours: Place;
  readonly theirs: Place;
  /** The clangs that differ from us. */
  readonly clangs: readonly string[];
}

const NOTHING: Place = { text: "", line: 0 };

function placeOf(message: Message | undefined): Place {
  return message === undefined ? NOTHING : { text: `${message.code} ${message.text}`.trim(), line: message.line };
}

/** Lines with warnings, each with the first warning there. Warnings of included files are left out. */
function warningLines({ messages }: Verdict, isOwn: (file: string) => boolean): ReadonlyMap<number, Message> {
  const lines = new Map<number, Message>();
  for (const message of messages)
    if (message.severity === "warning" && isOwn(message.file) && !lines.has(message.line))
      lines.set(message.line, message);
  return lines;
}

/** Messages of lines that another list does not have. */
function only(list: ReadonlyMap<number, Message>, than: ReadonlyMap<number, Message>): readonly Message[] {
  return [...list].flatMap(([line, message]) => (than.has(line) ? [] : [message]));
}

/** Lines that only one of two compilers warns of. */
function warningDifferences(
  ours: Verdict,
  { clang, verdict }: ClangVerdict,
  isOwn: (file: string) => boolean,
): readonly Difference[] {
  const [own, other] = [warningLines(ours, isOwn), warningLines(verdict, isOwn)];
  return [
    ...only(own, other).map((message) => ({ kind: "warned here", ours: placeOf(message), theirs: NOTHING }) as const),
    ...only(other, own).map((message) => ({ kind: "warned there", ours: NOTHING, theirs: placeOf(message) }) as const),
  ].map((one) => ({ ...one, clangs: [clang] }));
}

/**
 * How our verdict differs from those of clangs. A clang that failed has no say. `isOwn` is true for the file itself and
 * false for what it includes.
 */
export function differencesOf(
  ours: Verdict,
  clangs: readonly ClangVerdict[],
  isOwn: (file: string) => boolean,
): readonly Difference[] {
  if (ours.outcome === "failed")
    return [{ kind: "failed here", ours: { text: ours.reason, line: 0 }, theirs: NOTHING, clangs: [] }];
  const own = placeOf(firstError(ours));
  const accepting = clangs.filter(({ verdict }) => verdict.outcome === "accepted");
  const refusing = clangs.filter(({ verdict }) => verdict.outcome === "refused");
  const names = (list: readonly ClangVerdict[]): readonly string[] => list.map(({ clang }) => clang);
  if (ours.outcome === "refused") {
    const [taker] = accepting;
    if (taker !== undefined) {
      const theirs = placeOf(warningLines(taker.verdict, isOwn).get(own.line));
      return [{ kind: "refused here", ours: own, theirs, clangs: names(accepting) }];
    }
    const elsewhere = refusing.filter(({ verdict }) => firstError(verdict)?.line !== own.line);
    const [first] = elsewhere;
    // One of them names our line: that is agreement enough.
    if (first === undefined || elsewhere.length < refusing.length) return [];
    return [{ kind: "another line", ours: own, theirs: placeOf(firstError(first.verdict)), clangs: names(elsewhere) }];
  }
  const [refuser] = refusing;
  if (refuser !== undefined && accepting.length === 0) {
    const theirs = placeOf(firstError(refuser.verdict));
    const warning = warningLines(ours, isOwn).get(theirs.line);
    const kind = warning === undefined ? "accepted here" : "only warned here";
    return [{ kind, ours: placeOf(warning), theirs, clangs: names(refusing) }];
  }
  const [judge] = accepting;
  return judge === undefined ? [] : warningDifferences(ours, judge, isOwn);
}

/** A program with a difference. */
export interface Found {
  readonly program: string;
  readonly difference: Difference;
}

/** Differences of one cause. */
export interface Cause {
  readonly kind: Kind;
  /** Our message and clang's, without names and numbers. */
  readonly ours: string;
  readonly theirs: string;
  /** The clangs that differ in any of the programs. */
  readonly clangs: readonly string[];
  readonly found: readonly Found[];
  /** Why it is meant; null: it is not. */
  readonly meant: string | null;
}

/** Groups differences by cause, counting kinds first, then those with the most programs. */
export function causesOf(
  list: readonly Found[],
  reasonOf: (difference: Difference) => string | null,
): readonly Cause[] {
  const groups = new Map<string, Found[]>();
  for (const found of list) {
    const { kind, ours, theirs } = found.difference;
    const key = [kind, normalised(ours.text), normalised(theirs.text)].join("\n");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [found]);
    else group.push(found);
  }
  const causes = [...groups.values()].flatMap((found): readonly Cause[] => {
    const [first] = found;
    if (first === undefined) return [];
    const { kind, ours, theirs } = first.difference;
    const clangs = [...new Set(found.flatMap(({ difference }) => difference.clangs))];
    return [
      {
        kind,
        ours: normalised(ours.text),
        theirs: normalised(theirs.text),
        clangs,
        found,
        meant: reasonOf(first.difference),
      },
    ];
  });
  return causes.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.found.length - a.found.length);
}
