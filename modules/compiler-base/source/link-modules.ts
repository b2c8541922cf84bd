// Puts compiled objects together: declarations meet their definitions, what an object keeps to itself gets a name of its own.
import { Global, IrFunction, type Module, cloneBlocks, createCloneMap } from "@muxkit/ir";

/** One object's symbols and those that stand for them in the program. */
interface Taken {
  readonly globals: Map<Global, Global>;
  readonly functions: Map<IrFunction, IrFunction>;
}

/** True when two objects mean one type; a declared array may leave its size to the definition. */
function fits(left: Global, right: Global): boolean {
  if (left.type === right.type) return true;
  const isOpen = (left.linkage === "declaration" && left.type.count === 0) || (right.linkage === "declaration" && right.type.count === 0);
  return isOpen && left.type.kind === "array" && right.type.kind === "array" && left.type.element === right.type.element;
}

/** Adds a variable to the program, or finds the one that it declares. A sentence says what stands against it. */
function takeGlobal(target: Module, source: Global, name: string, taken: Taken): string | null {
  const known = target.globals.get(name);
  if (known === undefined) {
    const made = new Global(name, source.type, source.addressSpace, source.alignment);
    made.linkage = source.linkage;
    made.initializer = source.initializer;
    taken.globals.set(source, target.addGlobal(made));
    return null;
  }
  taken.globals.set(source, known);
  if (!fits(known, source) || known.addressSpace !== source.addressSpace) return `"${name}" has different types in two objects`;
  if (source.linkage === "declaration") return null;
  if (known.linkage !== "declaration") return `"${name}" is defined by two objects`;
  known.linkage = source.linkage;
  known.type = source.type;
  known.alignment = source.alignment;
  known.initializer = source.initializer;
  return null;
}

function takeFunction(target: Module, source: IrFunction, name: string, taken: Taken): string | null {
  const known = target.functions.get(name);
  if (known === undefined) {
    const made = new IrFunction(name, source.returnType, source.parameters);
    taken.functions.set(source, target.addFunction(made));
    return null;
  }
  taken.functions.set(source, known);
  const isSame = known.returnType === source.returnType && known.parameters.length === source.parameters.length && known.parameters.every(({ type }, i) => type === source.parameters[i]?.type);
  if (!isSame) return `"${name}" is declared with different types in two objects`;
  return known.blocks.length > 0 && source.blocks.length > 0 ? `"${name}" is defined by two objects` : null;
}

function copyBody(source: IrFunction, { functions, globals }: Taken): void {
  const made = functions.get(source);
  if (made === undefined || source.blocks.length === 0) return;
  made.inline = source.inline;
  made.isInternal = source.isInternal;
  made.isOutside = source.isOutside;
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
    return instruction;
  });
}

/** Adds one object to the program. `suffix` tells what it keeps to itself apart from what others do. A sentence says why it cannot be. */
function takeObject(target: Module, source: Module, suffix: string): string | null {
  const taken: Taken = { globals: new Map(), functions: new Map() };
  for (const global of source.globals.values()) {
    const failure = takeGlobal(target, global, global.linkage === "internal" ? `${global.name}${suffix}` : global.name, taken);
    if (failure !== null) return failure;
  }
  for (const [old, made] of taken.globals) {
    if (old.relocations.length > 0) made.relocations = old.relocations.map(({ offset, addend, target: to }) => ({ offset, addend, target: taken.globals.get(to) ?? to }));
  }
  for (const fn of source.functions.values()) {
    const failure = takeFunction(target, fn, fn.isInternal ? `${fn.name}${suffix}` : fn.name, taken);
    if (failure !== null) return failure;
  }
  for (const fn of source.functions.values()) copyBody(fn, taken);
  return null;
}

/** True when something is declared and not defined: most programs need no look at what they use. */
function hasDeclarations({ functions, globals }: Module): boolean {
  for (const { blocks } of functions.values()) if (blocks.length === 0) return true;
  for (const { linkage } of globals.values()) if (linkage === "declaration") return true;
  return false;
}

/** Drops declarations that nothing uses; gives the name of one that is used, null when there is none. */
function openSymbol(target: Module): { readonly name: string; readonly isFunction: boolean } | null {
  if (!hasDeclarations(target)) return null;
  const used = new Set<Global | IrFunction>();
  for (const fn of target.functions.values()) {
    for (const block of fn.blocks) for (const { symbol } of block.instructions) if (symbol?.kind === "function" || symbol?.kind === "global") used.add(symbol);
  }
  for (const { relocations } of target.globals.values()) for (const { target: to } of relocations) used.add(to);
  for (const [name, fn] of target.functions) {
    if (fn.blocks.length > 0) continue;
    if (used.has(fn)) return { name, isFunction: true };
    target.functions.delete(name);
  }
  for (const [name, global] of target.globals) {
    if (global.linkage !== "declaration") continue;
    if (used.has(global)) return { name, isFunction: false };
    target.globals.delete(name);
  }
  return null;
}

/**
 * Links objects into an empty module; they stay as they are. With `allowsOpen` (a library) declarations may stay open.
 *
 * @returns what stands against it, as a sentence; null: nothing
 */
export function linkModules(target: Module, objects: readonly Module[], allowsOpen: boolean): string | null {
  for (const [i, object] of objects.entries()) {
    const failure = takeObject(target, object, objects.length === 1 ? "" : `.${i}`);
    if (failure !== null) return failure;
  }
  const open = allowsOpen ? null : openSymbol(target);
  if (open === null) return null;
  return open.isFunction ? `"${open.name}" is called but no object defines it` : `"${open.name}" is declared extern but no object defines it`;
}
