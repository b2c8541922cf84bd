// SPDX-License-Identifier: Apache-2.0
// How the program wrote a type, for messages: `size_t` instead of what it is on this device, `real4 (aka float4)`
// instead of what the typedef stands for.
//
// Types are interned, so that equal types are one object; a typedef leaves no trace in them. Its name is kept beside
// the type, in `Qualified` and in operands, and follows the value: into loads, casts, results of functions, through `*`
// and `&`. Where none is known, the type's own name is used. No check looks at a spelling.
import { type CType, type Qualified, type Spelling, pointerName } from "./ctype.ts";

/** Types whose size differs between devices (6.1.1): what they are on this one is of no interest. */
export const DEVICE_SIZED: ReadonlySet<string> = new Set(["size_t", "ptrdiff_t", "intptr_t", "uintptr_t"]);

const SIZED: ReadonlyMap<string, Spelling> = new Map(
  [...DEVICE_SIZED].flatMap((name) =>
    [name, `atomic_${name}`].map((word) => [word, { name: word, aka: null, target: null }]),
  ),
);

/** The spelling of a type of the language whose size differs between devices; null for another word. */
export function sizedSpelling(word: string): Spelling | null {
  return SIZED.get(word) ?? null;
}

/** Something that has a type: a declaration, a parameter, an operand. */
export interface Written {
  readonly type: CType;
  readonly spelling: Spelling | null;
}

/** The spelling of what a typedef names: its own name. */
export function typedefSpelling(name: string, { type, spelling }: Written): Spelling | null {
  if (name === type.name) return null;
  const meant = spelling === null ? type.name : (spelling.aka ?? spelling.name);
  return {
    name,
    aka: meant === `struct ${name}` || meant === `union ${name}` ? null : meant,
    target: spelling?.target ?? null,
  };
}

/** The spelling of a word of the language that is another type by its own name, such as `memory_order`. */
export function wordSpelling(word: string, type: CType): Spelling | null {
  if (type.name === word || (type.kind !== "int" && type.kind !== "atomic")) return null;
  return SIZED.get(word) ?? { name: word, aka: type.name, target: null };
}

/** The spelling of a pointer to a type. */
export function pointerSpelling(target: Qualified): Spelling | null {
  const { spelling } = target;
  if (spelling === null) return null;
  return {
    name: pointerName(target, spelling.name),
    aka: spelling.aka === null ? null : pointerName(target, spelling.aka),
    target: spelling,
  };
}

/** The spelling of an array whose elements are spelled. */
export function arraySpelling(element: Spelling | null, count: number): Spelling | null {
  if (element === null) return null;
  const sized = (name: string): string => {
    const open = name.includes("[") ? name.indexOf("[") : name.length;
    return `${name.slice(0, open)}[${count < 0 ? "" : count}]${name.slice(open)}`;
  };
  return { name: sized(element.name), aka: element.aka === null ? null : sized(element.aka), target: element };
}

/** A type as messages show it: as it was written, with what it stands for where that says more. */
export function written({ type, spelling }: Written): string {
  if (spelling === null) return type.name;
  return spelling.aka === null ? spelling.name : `${spelling.name} (aka ${spelling.aka})`;
}

/** A type as code that is suggested has it. */
export function spelledName({ type, spelling }: Written): string {
  return spelling?.name ?? type.name;
}

/** Several types in one message: what a name stands for is said once. */
export function writtenEach(list: readonly Written[]): readonly string[] {
  const told = new Set<string>();
  return list.map((one) => {
    const name = spelledName(one);
    if (told.has(name)) return name;
    told.add(name);
    return written(one);
  });
}

/** The types of arguments, as a list. */
export function writtenList(list: readonly Written[]): string {
  return writtenEach(list).join(", ");
}

/** The spelling that the result of an operator inherits from an operand of its type. */
export function inheritedSpelling(type: CType, left: Written, right: Written): Spelling | null {
  const [first, second] = [left.type === type ? left.spelling : null, right.type === type ? right.spelling : null];
  return first ?? second;
}
