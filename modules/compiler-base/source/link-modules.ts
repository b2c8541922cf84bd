// SPDX-License-Identifier: Apache-2.0
// Links compiled objects on the IR. Symbols are resolved by name in two passes over each object: globals and functions
// first, where a declaration is bound to its definition and internal symbols get names of their own; then bodies are
// cloned with their references mapped. Conflicts are collected as problems with both locations. Cost: linear in the
// instructions.
import {
  Global,
  type Instruction,
  IrFunction,
  type Location,
  type Module,
  cloneBlocks,
  createCloneMap,
} from "@muxkit/ir";
import { type DiagnosticName, addFloatFlags } from "@muxkit/opencl-c";

/** An object or library to link. */
export interface LinkInput {
  readonly module: Module;
  /** What the link's options let operations on floats do beyond what they were compiled with. */
  readonly floatFlags: number;
}

/**
 * A link error: a row of the diagnostics, its subject, and where; `location` null: the values contain
 * where.
 */
export interface LinkProblem {
  readonly row: DiagnosticName;
  readonly values: readonly string[];
  readonly location: Location | null;
}

/** One object's symbols and the program's symbols that replace them. */
interface Taken {
  readonly globals: Map<Global, Global>;
  readonly functions: Map<IrFunction, IrFunction>;
}

/** Where a function is written, as far as it is known: its first instruction that is its own. */
function locationOf(symbol: Global | IrFunction): Location | null {
  if (symbol.kind === "global") return null;
  // Front ends leave the entry at the function's name.
  const entry = symbol.blocks[0]?.instructions.at(-1)?.location ?? null;
  if (entry !== null && entry.inlinedAt === null) return entry;
  for (const { instructions } of symbol.blocks)
    for (const { location } of instructions) if (location !== null && location.inlinedAt === null) return location;
  return null;
}

function locationText({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** True when two objects mean one type; a declared array may leave its size to the definition. */
function fits(left: Global, right: Global): boolean {
  if (left.type === right.type) return left.addressSpace === right.addressSpace;
  const isOpen =
    (left.linkage === "declaration" && left.type.count === 0) ||
    (right.linkage === "declaration" && right.type.count === 0);
  return (
    isOpen &&
    left.type.kind === "array" &&
    right.type.kind === "array" &&
    left.type.element === right.type.element &&
    left.addressSpace === right.addressSpace
  );
}

function typeText(symbol: Global | IrFunction): string {
  return symbol.kind === "global"
    ? `a variable ${symbol.type.text}`
    : `${symbol.returnType.text} (${symbol.parameters.map(({ type }) => type.text).join(", ")})`;
}

/** A program that objects are put into. */
class Linker {
  readonly problems: LinkProblem[] = [];
  private readonly target: Module;
  /** The object that each symbol of the program came from first, and the symbol there. */
  private readonly origins = new Map<
    Global | IrFunction,
    { readonly module: Module; readonly symbol: Global | IrFunction }
  >();

  constructor(target: Module) {
    this.target = target;
  }

  /** Adds one object to the program. `suffix` distinguishes its private symbols from those of other objects. */
  take({ module: source, floatFlags }: LinkInput, suffix: string): void {
    const taken: Taken = { globals: new Map(), functions: new Map() };
    const before = this.problems.length;
    for (const global of source.globals.values())
      this.takeGlobal(source, global, global.linkage === "internal" ? `${global.name}${suffix}` : global.name, taken);
    for (const [old, made] of taken.globals) {
      if (old.relocations.length > 0)
        made.relocations = old.relocations.map(({ offset, addend, target: to }) => ({
          offset,
          addend,
          target: taken.globals.get(to) ?? to,
        }));
    }
    for (const fn of source.functions.values())
      this.takeFunction(source, fn, fn.isInternal ? `${fn.name}${suffix}` : fn.name, taken);
    if (this.problems.length > before) return;
    for (const fn of source.functions.values()) copyBody(fn, taken, floatFlags);
  }

  /** Adds a variable to the program, or finds the one that it declares. */
  private takeGlobal(module: Module, source: Global, name: string, taken: Taken): void {
    const { target } = this;
    const known = target.globals.get(name);
    if (known === undefined) {
      const made = new Global(name, source.type, source.addressSpace, source.alignment);
      made.linkage = source.linkage;
      made.initializer = source.initializer;
      taken.globals.set(source, target.addGlobal(made));
      this.origins.set(made, { module, symbol: source });
      return;
    }
    taken.globals.set(source, known);
    if (!fits(known, source)) this.differs(module, known, source, name);
    else if (source.linkage !== "declaration") {
      if (known.linkage !== "declaration") {
        this.twice(module, known, source, name);
        return;
      }
      known.linkage = source.linkage;
      known.type = source.type;
      known.alignment = source.alignment;
      known.initializer = source.initializer;
      this.origins.set(known, { module, symbol: source });
    }
  }

  private takeFunction(module: Module, source: IrFunction, name: string, taken: Taken): void {
    const { target } = this;
    const known = target.functions.get(name);
    if (known === undefined) {
      const made = target.addFunction(new IrFunction(name, source.returnType, source.parameters));
      taken.functions.set(source, made);
      this.origins.set(made, { module, symbol: source });
      return;
    }
    taken.functions.set(source, known);
    const isSame =
      known.returnType === source.returnType &&
      known.parameters.length === source.parameters.length &&
      known.parameters.every(({ type }, i) => type === source.parameters[i]?.type);
    const first = this.origins.get(known)?.symbol;
    const isDefined = first?.kind === "function" && first.blocks.length > 0;
    if (!isSame) this.differs(module, known, source, name);
    else if (source.blocks.length > 0 && isDefined) this.twice(module, known, source, name);
    else if (source.blocks.length > 0) this.origins.set(known, { module, symbol: source });
  }

  /** Where a symbol of an object is, in words. */
  private static where(module: Module, symbol: Global | IrFunction): string {
    const location = locationOf(symbol);
    return location === null ? `in ${module.name}` : `at ${locationText(location)}`;
  }

  /** Origin of the program's symbol of that name. */
  private before(known: Global | IrFunction): string {
    const origin = this.origins.get(known);
    return origin === undefined ? `in ${this.target.name}` : Linker.where(origin.module, origin.symbol);
  }

  private twice(module: Module, known: Global | IrFunction, source: Global | IrFunction, name: string): void {
    this.problems.push({
      row: "linkTwice",
      values: [name, this.before(known), Linker.where(module, source)],
      location: locationOf(source),
    });
  }

  private differs(module: Module, known: Global | IrFunction, source: Global | IrFunction, name: string): void {
    this.problems.push({
      row: "linkTypes",
      values: [name, typeText(known), this.before(known), typeText(source), Linker.where(module, source)],
      location: locationOf(source),
    });
  }

  /** Drops declarations that nothing uses, and finds those that something does. */
  close(): void {
    const { target, problems } = this;
    if (!hasDeclarations(target)) return;
    const used = new Map<Global | IrFunction, Instruction | null>();
    for (const { relocations } of target.globals.values()) for (const { target: to } of relocations) used.set(to, null);
    for (const fn of target.functions.values()) {
      for (const block of fn.blocks) {
        for (const instruction of block.instructions) {
          const { symbol } = instruction;
          if ((symbol?.kind === "function" || symbol?.kind === "global") && (used.get(symbol) ?? null) === null)
            used.set(symbol, instruction);
        }
      }
    }
    const look = (symbol: Global | IrFunction, drop: () => void): void => {
      const user = used.get(symbol);
      if (user === undefined) {
        drop();
        return;
      }
      const location = user?.location ?? null;
      const where = location === null ? ` ${this.before(symbol)}` : ` at ${locationText(location)}`;
      problems.push({
        row: "linkUndefined",
        values: [symbol.name, symbol.kind === "function" ? "called" : "declared extern and used", where],
        location,
      });
    };
    for (const [name, fn] of target.functions)
      if (fn.blocks.length === 0) look(fn, () => target.functions.delete(name));
    for (const [name, global] of target.globals)
      if (global.linkage === "declaration") look(global, () => target.globals.delete(name));
  }
}

function copyBody(source: IrFunction, { functions, globals }: Taken, floatFlags: number): void {
  const made = functions.get(source);
  if (made === undefined || source.blocks.length === 0) return;
  made.inline = source.inline;
  made.isInternal = source.isInternal;
  made.isOutside = source.isOutside;
  made.convention = source.convention;
  made.kernel = source.kernel;
  const map = createCloneMap();
  source.parameters.forEach((parameter, i) => {
    const own = made.parameters[i];
    if (own === undefined) return;
    own.name = parameter.name;
    map.values.set(parameter, own);
  });
  cloneBlocks(source.blocks, made, map, (instruction) => {
    const { symbol } = instruction;
    if (symbol?.kind === "function") instruction.symbol = functions.get(symbol) ?? symbol;
    if (symbol?.kind === "global") instruction.symbol = globals.get(symbol) ?? symbol;
    if (floatFlags !== 0) addFloatFlags(instruction, floatFlags);
    return instruction;
  });
}

/** True when something is declared and not defined: most programs need no look at what they use. */
function hasDeclarations({ functions, globals }: Module): boolean {
  for (const { blocks } of functions.values()) if (blocks.length === 0) return true;
  for (const { linkage } of globals.values()) if (linkage === "declaration") return true;
  return false;
}

/**
 * Links objects into an empty module; they stay as they are. With `allowsOpen` (a library) declarations may stay open.
 * Without objects the module is a program of one.
 *
 * @returns all link errors
 */
export function linkModules(
  target: Module,
  objects: readonly LinkInput[],
  allowsOpen: boolean,
): readonly LinkProblem[] {
  const linker = new Linker(target);
  objects.forEach((object, i) => {
    linker.take(object, objects.length === 1 ? "" : `.${i}`);
  });
  // What was left out for another problem is no problem of its own.
  if (!allowsOpen && linker.problems.length === 0) linker.close();
  return linker.problems;
}
