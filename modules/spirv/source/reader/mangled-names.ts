// SPDX-License-Identifier: Apache-2.0
// Names of functions as clang mangles those of OpenCL C: the part of the Itanium C++ ABI (5.1) that functions of no
// namespace need, with the extensions that clang has for OpenCL.
//
//   _Z11dot_acc_satDv4_cS_i              dot_acc_sat(char4, char4, int)
//   _Z16atomic_fetch_subPU3AS1VU7_Atomicff   atomic_fetch_sub(atomic_float*, float)
//
// `_Z`, the length of the name, the name, then the types of the parameters. A type that is no built-in one may be
// repeated as `S_`, `S0_` and so on: they count the types in the order in which they end, the parts of a type before
// the whole. Qualifiers together with what they qualify are one type, an atomic type is one of its own, and so is each
// of OpenCL's opaque types. One pass by recursive descent; cost: linear in the name.

/** A parameter's type. */
export interface MangledType {
  readonly kind: "number" | "pointer" | "handle" | "enumeration" | "void";
  /** OpenCL C's name of it, without qualifiers: `uint4`, `float*`, `image2d_t`, `memory_order`. */
  readonly name: string;
  /** Name of a vector's element, of a scalar itself; empty for others. */
  readonly element: string;
  readonly lanes: number;
  /** What a pointer points to. */
  readonly target: MangledType | null;
  readonly isAtomic: boolean;
}

/** A function's name and the types of its parameters. */
export interface MangledName {
  readonly name: string;
  readonly parameters: readonly MangledType[];
}

const PLAIN = { element: "", lanes: 1, target: null, isAtomic: false } as const;

const scalar = (name: string): MangledType => ({ ...PLAIN, kind: "number", name, element: name });

const VOID: MangledType = { ...PLAIN, kind: "void", name: "void" };

/** Types with a letter, or two, of their own. */
const LETTERS: Readonly<Record<string, MangledType>> = {
  c: scalar("char"),
  a: scalar("char"),
  h: scalar("uchar"),
  s: scalar("short"),
  t: scalar("ushort"),
  i: scalar("int"),
  j: scalar("uint"),
  l: scalar("long"),
  m: scalar("ulong"),
  f: scalar("float"),
  d: scalar("double"),
  Dh: scalar("half"),
  v: VOID,
};

/** Opaque types by their names in LLVM, those of images without the access. */
const HANDLES: Readonly<Record<string, string>> = {
  ocl_sampler: "sampler_t",
  ocl_event: "event_t",
};
const IMAGE = /^ocl_(image(?:1d|1d_array|1d_buffer|2d|2d_array|2d_depth|2d_array_depth|3d))_(?:ro|wo|rw)$/u;

function namedType(name: string): MangledType | null {
  if (name === "memory_order" || name === "memory_scope") return { ...PLAIN, kind: "enumeration", name };
  const image = IMAGE.exec(name)?.[1];
  const handle = image === undefined ? HANDLES[name] : `${image}_t`;
  return handle === undefined ? null : { ...PLAIN, kind: "handle", name: handle };
}

/** Most parts of one type in another. */
const MOST_LEVELS = 16;

/** A name that is read. */
class Demangler {
  private readonly text: string;
  private at: number;
  private readonly known: MangledType[] = [];

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Takes what an expression, which must be sticky, matches; null: it does not. */
  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at += found[0].length;
    return found;
  }

  /** A name behind its length; null: there is none. */
  sourceName(): string | null {
    const length = Number(this.take(/[1-9]\d{0,3}/uy)?.[0]);
    const name = this.text.slice(this.at, this.at + length);
    if (name.length !== length) return null;
    this.at += length;
    return name;
  }

  private remember(type: MangledType | null): MangledType | null {
    if (type !== null) this.known.push(type);
    return type;
  }

  /** A type; null: it is none that a built-in function of OpenCL C has. */
  type(levels: number = MOST_LEVELS): MangledType | null {
    if (levels === 0) return null;
    const repeated = this.take(/S([0-9A-Z]*)_/uy);
    if (repeated !== null) return this.known[repeated[1] === "" ? 0 : parseInt(repeated[1] ?? "", 36) + 1] ?? null;
    if (this.take(/U7_Atomic/uy) !== null) return this.atomicType(levels);
    if (this.take(/(?:U3AS\d)?[rVK]*/uy)?.[0] !== "") return this.remember(this.type(levels - 1));
    if (this.take(/P/uy) !== null) {
      const target = this.type(levels - 1);
      return this.remember(target === null ? null : { ...PLAIN, kind: "pointer", name: `${target.name}*`, target });
    }
    const lanes = this.take(/Dv(2|3|4|8|16)_/uy)?.[1];
    if (lanes !== undefined) return this.vectorType(Number(lanes), levels);
    const letters = this.take(/Dh|[acdfhijlmstv]/uy)?.[0];
    if (letters !== undefined) return LETTERS[letters] ?? null;
    const name = this.sourceName();
    return name === null ? null : this.remember(namedType(name));
  }

  private atomicType(levels: number): MangledType | null {
    const held = this.type(levels - 1);
    if (held?.kind !== "number" || held.lanes > 1 || held.isAtomic) return null;
    return this.remember({ ...held, name: `atomic_${held.name}`, isAtomic: true });
  }

  private vectorType(lanes: number, levels: number): MangledType | null {
    const element = this.type(levels - 1);
    if (element?.kind !== "number" || element.lanes > 1 || element.isAtomic) return null;
    return this.remember({ ...element, name: `${element.name}${lanes}`, lanes });
  }
}

/** Reads the name of a function; null: it is not mangled, or has types that no built-in function has. */
export function demangled(text: string): MangledName | null {
  if (!text.startsWith("_Z")) return null;
  const reader = new Demangler(text, 2);
  const name = reader.sourceName();
  if (name === null || reader.isAtEnd) return null;
  const parameters: MangledType[] = [];
  while (!reader.isAtEnd) {
    const type = reader.type();
    if (type === null) return null;
    parameters.push(type);
  }
  const [first] = parameters;
  if (parameters.length === 1 && first?.kind === "void") return { name, parameters: [] };
  return parameters.some(({ kind }) => kind === "void") ? null : { name, parameters };
}
