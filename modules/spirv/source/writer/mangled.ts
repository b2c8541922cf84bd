// SPDX-License-Identifier: Apache-2.0
// Names of OpenCL C's built-in functions as clang mangles them (Itanium C++ ABI 5.1): for what SPIR-V has no
// instruction for, which translators leave as an imported function. The reverse is reader/mangled-names.ts.

/** Letters of numbers. */
const LETTERS: Readonly<Record<string, string>> = {
  void: "v",
  bool: "b",
  char: "c",
  uchar: "h",
  short: "s",
  ushort: "t",
  int: "i",
  uint: "j",
  long: "l",
  ulong: "m",
  half: "Dh",
  float: "f",
  double: "d",
};

/** Address spaces of pointers as targets `spir` number them; private has no qualifier. */
const SPACES: readonly string[] = ["", "U3AS1", "U3AS2", "U3AS3", "U3AS4"];

const VECTOR = /^([a-z]+)(2|3|4|8|16)$/u;

/** A parameter: OpenCL C's name of its type, and the address space of a pointer. */
export interface MangledParameter {
  readonly name: string;
  readonly space: number;
}

/** Writes one name; types that were written before are numbered. */
class Mangler {
  private readonly known: string[] = [];

  private remembered(text: string): string | null {
    const index = this.known.indexOf(text);
    if (index < 0) return null;
    return index === 0 ? "S_" : `S${(index - 1).toString(36).toUpperCase()}_`;
  }

  /** A type by its full text, with parts abbreviated; remembers it. */
  type(name: string, space: number): string | null {
    if (name.endsWith("*")) {
      const target = name.slice(0, -1).trim();
      const full = `*${space}${target}`;
      const again = this.remembered(full);
      if (again !== null) return again;
      const qualified = this.qualified(target, space);
      if (qualified === null) return null;
      this.known.push(full);
      return `P${qualified}`;
    }
    const letter = LETTERS[name];
    if (letter !== undefined) return letter;
    const again = this.remembered(name);
    if (again !== null) return again;
    const [, element = "", lanes = ""] = VECTOR.exec(name) ?? [];
    const own = LETTERS[element];
    const text = own === undefined ? handle(name) : `Dv${lanes}_${own}`;
    if (text !== null) this.known.push(name);
    return text;
  }

  private qualified(target: string, space: number): string | null {
    const prefix = SPACES[space] ?? "";
    if (prefix === "") return this.type(target, 0);
    const full = `${prefix} ${target}`;
    const again = this.remembered(full);
    if (again !== null) return again;
    const own = this.type(target, 0);
    if (own === null) return null;
    this.known.push(full);
    return `${prefix}${own}`;
  }
}

/** Opaque types by their names in LLVM. */
function handle(name: string): string | null {
  const own = name === "sampler_t" ? "ocl_sampler" : name === "event_t" ? "ocl_event" : null;
  if (own !== null) return `${own.length}${own}`;
  const [, image, access = "ro"] = /^(image\w+?)_t(?: (ro|wo|rw))?$/u.exec(name) ?? [];
  if (image === undefined) return null;
  const text = `ocl_${image}_${access}`;
  return `${text.length}${text}`;
}

/** The mangled name of a function; null: a parameter has a type that cannot be named. */
export function mangledName(name: string, parameters: readonly MangledParameter[]): string | null {
  const mangler = new Mangler();
  let text = `_Z${name.length}${name}`;
  for (const parameter of parameters) {
    const own = mangler.type(parameter.name, parameter.space);
    if (own === null) return null;
    text += own;
  }
  return parameters.length === 0 ? `${text}v` : text;
}
