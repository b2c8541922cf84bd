// SPDX-License-Identifier: Apache-2.0
// Parts of aggregates: members by name, elements by position, and what designators name (C99 6.7.8).
import { sizeOf } from "@muxkit/ir";
import { nearest, replace } from "@muxkit/report";

import type { InitializerList } from "../ast.ts";
import type { CType, Qualified } from "./ctype.ts";
import { constantNumber } from "./types.ts";
import type { Unit } from "./unit.ts";

/** A member by name, looked for in unnamed structs and unions too. */
export function findMember(
  record: CType,
  wanted: string,
): { readonly type: Qualified; readonly offset: number } | null {
  for (const { name: own, type, offset } of record.members ?? []) {
    if (own === wanted) return { type, offset };
    if (own !== "" || type.type.kind !== "record") continue;
    const inner = findMember(type.type, wanted);
    if (inner !== null) return { type: inner.type, offset: offset + inner.offset };
  }
  return null;
}

/** A part of an aggregate by position. */
export interface Part {
  readonly type: Qualified;
  readonly offset: number;
}

/** The part of an array, struct or union at a position; null: it has none there. */
export function partAt(unit: Unit, type: CType, position: number): Part | null {
  if (type.kind === "array" && type.target !== null) {
    if (type.count >= 0 && position >= type.count) return null;
    return { type: type.target, offset: position * sizeOf(unit.options.layout, type.target.type.ir) };
  }
  const member = type.members?.[position];
  return member === undefined ? null : { type: member.type, offset: member.offset };
}

/** One designator of a list: a member or elements. */
export type Designator = InitializerList["items"][number]["designators"][number];

/** The position that a designator names, and the last one of a range; null (reported): the type has no such part. */
export function positionsOf(
  unit: Unit,
  type: CType,
  designator: Designator,
): { readonly first: number; readonly last: number } | null {
  if (designator.kind === "member") {
    const position = (type.members ?? []).findIndex((member) => member.name === designator.name);
    if (type.kind === "record" && position >= 0) return { first: position, last: position };
    const best = nearest(
      designator.name,
      (type.members ?? []).map((member) => member.name),
    );
    unit.report(
      "noMember",
      designator.span,
      [type.name, designator.name],
      best === null ? {} : { fix: replace(designator.span, best) },
    );
    return null;
  }
  const { span } = designator.index;
  if (type.kind !== "array") {
    unit.report("initializer", span, [`${type.name} has no elements`]);
    return null;
  }
  const first = constantNumber(unit, designator.index);
  const last = designator.last === null ? first : constantNumber(unit, designator.last);
  if (first === null || last === null) return null;
  if (first >= 0 && last >= first && (type.count < 0 || last < type.count)) return { first, last };
  unit.report("initializer", span, [`${type.name} has no element ${first < 0 ? first : last}`]);
  return null;
}

/**
 * The part of a type that a designator names; null (reported): there is none. Members of unnamed structs and unions
 * count as members.
 */
export function designatedPart(unit: Unit, type: CType, designator: Designator): Part | null {
  const inner = designator.kind === "member" && type.kind === "record" ? findMember(type, designator.name) : null;
  if (inner !== null) return inner;
  const positions = positionsOf(unit, type, designator);
  return positions === null ? null : partAt(unit, type, positions.first);
}

/** The positions of unnamed structs and unions on the way to a member of one of them. */
export function wayTo(type: CType, name: string): readonly number[] {
  const members = type.members ?? [];
  if (members.some((member) => member.name === name)) return [];
  const position = members.findIndex(
    (member) => member.name === "" && member.type.type.kind === "record" && findMember(member.type.type, name) !== null,
  );
  const inner = members[position];
  return inner === undefined ? [] : [position, ...wayTo(inner.type.type, name)];
}
