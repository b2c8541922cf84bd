// SPDX-License-Identifier: Apache-2.0
// What the vectoriser made of a kernel, as the compiler interface reports it.
import type { AccessReport, KernelReport, RegionReport, SourceLocation } from "@muxkit/compiler";
import { ADDRESS_SPACE_NAMES, type Instruction, type Location, OPS, Op } from "@muxkit/ir";
import { ACCESS_KINDS, type AccessRemark, type OperationCost, REFUSALS, type Vectorized } from "@muxkit/vecz";

import type { LoweredKernel, VectorChoiceReason, VectorRemark } from "@muxkit/work-item-lowering";

/** The program's own line: of what was inlined from the library, the call. */
function placeOf(location: Location | null): SourceLocation | null {
  let place = location;
  while (place?.inlinedAt != null && place.file.startsWith("<")) place = place.inlinedAt;
  return place === null ? null : { file: place.file, line: place.line, column: place.column };
}

function nameOf({ op, symbol }: Instruction): string {
  if (op === Op.CALL) return `call ${symbol?.name ?? ""}`.trimEnd();
  return OPS[op]?.name ?? "operation";
}

function accessReport({ instruction, kind }: AccessRemark): AccessReport {
  return {
    what: nameOf(instruction),
    way: kind,
    place: placeOf(instruction.location),
    advice: ACCESS_KINDS[kind].change,
  };
}

/** Accesses without duplicates: a load that is made of several parts is one access. */
function distinct(list: readonly AccessReport[]): readonly AccessReport[] {
  const seen = new Map(list.map((access) => [JSON.stringify(access), access]));
  return [...seen.values()].toSorted(
    (a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0),
  );
}

/** Operations in words that are not `NAME operations`. */
const OPERATIONS: ReadonlyMap<number | null, string> = new Map<number | null, string>([
  [null, "spills of vector registers"],
  [Op.LOAD, "loads"],
  [Op.STORE, "stores"],
  [Op.GATHER, "gathered loads"],
  [Op.SCATTER, "gathered stores"],
  [Op.MASKED_LOAD, "loads under masks"],
  [Op.MASKED_STORE, "stores under masks"],
  [Op.COND_BR, "branches"],
  [Op.ATOMIC_RMW, "atomic operations"],
  [Op.ATOMIC_COMPARE_EXCHANGE, "atomic exchanges"],
]);

/** Operations that cost less than this part of all are not worth a word. */
const LEAST_SHARE = 0.1;
/** So many lines are named for one kind of operation. */
const MOST_LINES = 4;

function operationText({ op, callee, space }: OperationCost): string {
  // Variants carry their parameters' types and their form in the name: `exp(float).v4`.
  if (callee !== "") return `calls of ${callee.replace(/[(.].*$/u, "")}`;
  const what = OPERATIONS.get(op) ?? `\`${OPS[op ?? 0]?.name ?? "other"}\` operations`;
  return space === null ? what : `${what} of ${ADDRESS_SPACE_NAMES[space] ?? "generic"} memory`;
}

/** The first place of each of so many lines. */
function placesOf(locations: readonly (Location | null)[]): readonly SourceLocation[] {
  const seen = new Map<number, SourceLocation>();
  for (const location of locations) {
    const place = placeOf(location);
    if (place !== null && !seen.has(place.line)) seen.set(place.line, place);
  }
  return [...seen.values()].slice(0, MOST_LINES);
}

/** What costs most in a variant. */
function dearReport({ cost, operations, divergentLoops }: Vectorized): Pick<RegionReport, "costs" | "divergentLoops"> {
  return {
    costs: operations.dearest().flatMap((operation) => {
      const share = operation.cost / cost;
      return share < LEAST_SHARE ? [] : [{ what: operationText(operation), share, places: placesOf(operation.places) }];
    }),
    divergentLoops: placesOf(divergentLoops.map(({ location }) => location)),
  };
}

/** Why so many work-items run at once, in words. @public */
export const VECTOR_REASONS: Readonly<Record<VectorChoiceReason, string>> = {
  "sub-groups": "sub-groups have so many",
  "not asked": "vectors are off: by -cl-opt-disable or -cl-wfv=never",
  "sub-groups run alone": "sub-groups pass barriers separately, and no vector can hold a whole one",
  "too few work-items": "rows of the work-group hold one work-item",
  refused: "the code cannot be run for several work-items at once",
  cost: "several at once are estimated to cost more",
  forced: "so many were asked for",
  types: "registers hold so many of the type that most of the work is done in",
};

const ALONE = {
  isTested: false,
  refusal: null,
  accesses: [],
  costs: [],
  divergentLoops: [],
  width: 1,
  rows: 1,
} as const;

function scalarRegion(reason: VectorChoiceReason): RegionReport {
  return { ...ALONE, reason: VECTOR_REASONS[reason] };
}

/** Where estimates do not decide. */
const TRIED = "; launches try single work-items too";

function regionReport(
  { result, isTaken, reason, scalarCost, vectorCost, unrollAndJam }: VectorRemark,
  isUnsure: boolean,
): RegionReport {
  if (!result.ok) {
    const { cause, change } = REFUSALS[result.refusal];
    return {
      ...ALONE,
      reason: VECTOR_REASONS.refused,
      refusal: { reason: cause, advice: change, place: placeOf(result.instruction?.location ?? null) },
    };
  }
  const costs = `${scalarCost.toFixed(1)} one by one, ${vectorCost.toFixed(1)} a work-item in vectors`;
  const { general, tested } = unrollAndJam?.variants ?? result.variants;
  const dear = dearReport(tested ?? general);
  if (!isTaken) return { ...scalarRegion("cost"), reason: `${VECTOR_REASONS.cost}: ${costs}`, ...dear };
  const split = general.parts > 1 ? `; a loop is split in ${general.parts}, so that its sums find registers` : "";
  return {
    width: general.width,
    rows: unrollAndJam?.rows ?? 1,
    reason: `${VECTOR_REASONS[reason]}; estimated cost ${costs}${split}${isUnsure ? TRIED : ""}`,
    refusal: null,
    isTested: tested !== null,
    accesses: distinct((tested ?? general).accesses.map(accessReport)),
    ...dear,
  };
}

/** The vectorisation report of a kernel, as `-cl-wfv` and `--explain` report it. @public */
export function reportKernel({ name, functions, vectors, isFlat }: LoweredKernel): KernelReport {
  const byFunction = new Map(vectors.remarks.map((remark) => [remark.fn, remark]));
  const regions = functions.map((fn) => {
    const remark = byFunction.get(fn);
    return remark === undefined ? scalarRegion(vectors.whyNone) : regionReport(remark, vectors.unsure.has(fn));
  });
  return {
    kernel: name,
    width: vectors.width,
    dimension: vectors.axis,
    spansGroups: isFlat && vectors.width > 1,
    regions,
  };
}
