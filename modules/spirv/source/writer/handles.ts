// SPDX-License-Identifier: Apache-2.0
// Pipes and reservations. The IR has a pipe as a pointer to global memory and a reservation as a number; SPIR-V has
// types of their own for them, which no other value has. So what a value is follows from where it comes from and goes
// to: equivalence classes of values and of the memory that variables are (union-find), over loads and stores, arguments
// of blocks, calls and returns; a class is what the functions of pipes say of one of its members. Cost: nearly linear.
import {
  type BuiltinReference,
  type Constant,
  I64,
  type Instruction,
  type IrFunction,
  type Module,
  Op,
  type Type,
  type Value,
} from "@muxkit/ir";

/** What a value is besides a pointer or a number: a pipe in an access (-1: nothing reads or writes it), a reservation. */
export type Handle = { readonly kind: "pipe"; readonly access: number } | { readonly kind: "reservation" };

/** Pipes and reservations of a program. */
export interface Handles {
  /** What a value is; null: what its type says. */
  readonly ofValue: (value: Value) => Handle | null;
  /** What the memory behind a pointer holds, where that is a variable; null: what types say. */
  readonly inMemory: (pointer: Value, type: Type) => Handle | null;
  /** What a function returns; null: what its type says. */
  readonly ofResult: (fn: IrFunction) => Handle | null;
}

/** A program without pipes. */
export const NO_HANDLES: Handles = { ofValue: () => null, inMemory: () => null, ofResult: () => null };

/** A class of values, or a member of one. */
interface Node {
  parent: Node | null;
  handle: Handle | null;
}

/** Names of the functions of pipes without their scope. */
const PIPE_FUNCTION =
  /^(?:work_group_|sub_group_)?((?:reserve_|commit_)?(?:read|write)_pipe|get_pipe_\w+|is_valid_reserve_id)$/u;
/** The null of reservations, as front ends call it. */
export const NULL_RESERVATION = "__muxkit_null_reserve_id";

/** The name of a function of pipes without its scope; null: it is another one. */
export function pipeFunctionOf(name: string): string | null {
  return name === NULL_RESERVATION ? name : (PIPE_FUNCTION.exec(name)?.[1] ?? null);
}

/** The variable that a pointer leads into; null: nobody knows. */
function variableOf(pointer: Value): Instruction | null {
  let at = pointer;
  while (at.kind === "instruction" && at.op === Op.ADDRESS && at.operands[0] !== undefined)
    [at] = at.operands as [Value];
  return at.kind === "instruction" && at.op === Op.ALLOCA ? at : null;
}

const mayBe = (type: Type): boolean => type === I64 || type.kind === "pointer";

class HandleClasses {
  private readonly values = new Map<Value, Node>();
  private readonly memory = new Map<Instruction, Map<Type, Node>>();
  private readonly results = new Map<IrFunction, Node>();

  private find(node: Node): Node {
    let root = node;
    while (root.parent !== null) root = root.parent;
    for (let at = node; at.parent !== null;) {
      const next: Node = at.parent;
      at.parent = root;
      at = next;
    }
    return root;
  }

  private unite(a: Node, b: Node): void {
    const [left, right] = [this.find(a), this.find(b)];
    if (left === right) return;
    left.parent = right;
    right.handle = joined(left.handle, right.handle);
  }

  private value(value: Value): Node {
    let node = this.values.get(value);
    if (node === undefined) this.values.set(value, (node = { parent: null, handle: null }));
    return node;
  }

  private memoryNode(variable: Instruction, type: Type): Node {
    let known = this.memory.get(variable);
    if (known === undefined) this.memory.set(variable, (known = new Map()));
    let node = known.get(type);
    if (node === undefined) known.set(type, (node = { parent: null, handle: null }));
    return node;
  }

  private result(fn: IrFunction): Node {
    let node = this.results.get(fn);
    if (node === undefined) this.results.set(fn, (node = { parent: null, handle: null }));
    return node;
  }

  /** Two values are the same thing; constants are of every class. */
  same(a: Value | undefined, b: Value | undefined): void {
    if (a === undefined || b === undefined || a.kind === "constant" || b.kind === "constant" || !mayBe(a.type)) return;
    this.unite(this.value(a), this.value(b));
  }

  note(value: Value | undefined, handle: Handle): void {
    if (value === undefined || value.kind === "constant") return;
    const root = this.find(this.value(value));
    root.handle = joined(root.handle, handle);
  }

  moved(value: Value, pointer: Value): void {
    const variable = variableOf(pointer);
    if (variable !== null && value.kind !== "constant" && mayBe(value.type))
      this.unite(this.value(value), this.memoryNode(variable, value.type));
  }

  returned(value: Value | undefined, fn: IrFunction): void {
    if (value !== undefined && value.kind !== "constant" && mayBe(value.type))
      this.unite(this.value(value), this.result(fn));
  }

  handles(): Handles {
    const of = (node: Node | undefined): Handle | null => (node === undefined ? null : this.find(node).handle);
    return {
      ofValue: (value) => of(this.values.get(value)),
      inMemory: (pointer, type) => {
        const variable = variableOf(pointer);
        return variable === null ? null : of(this.memory.get(variable)?.get(type));
      },
      ofResult: (fn) => of(this.results.get(fn)),
    };
  }
}

function joined(a: Handle | null, b: Handle | null): Handle | null {
  if (a?.kind === "pipe" && b?.kind === "pipe") return a.access < 0 ? b : a;
  return a ?? b;
}

const RESERVATION: Handle = { kind: "reservation" };

/** What a call of a function of pipes says of its operands and of its result. */
function noteCall(classes: HandleClasses, instruction: Instruction): void {
  const action = pipeFunctionOf((instruction.symbol as BuiltinReference).name);
  if (action === null) return;
  const [first, second] = instruction.operands;
  if (action === NULL_RESERVATION || action.startsWith("reserve_")) classes.note(instruction, RESERVATION);
  if (action === NULL_RESERVATION) return;
  if (action === "is_valid_reserve_id") {
    classes.note(first, RESERVATION);
    return;
  }
  const access = action.includes("read_pipe") ? 0 : action.includes("write_pipe") ? 1 : -1;
  classes.note(first, { kind: "pipe", access });
  if (action.startsWith("commit_") || instruction.operands.length === RESERVED_OPERANDS)
    classes.note(second, RESERVATION);
}

/** Pipe, reservation, index, pointer, size, alignment. */
const RESERVED_OPERANDS = 6;

function noteInstruction(classes: HandleClasses, fn: IrFunction, i: Instruction): void {
  const { op, operands, symbol, successors, successorArguments } = i;
  if (op === Op.LOAD) classes.moved(i, operands[0] as Value);
  else if (op === Op.STORE) classes.moved(operands[0] as Value, operands[1] as Value);
  else if (op === Op.SELECT) for (const value of operands.slice(1)) classes.same(value, i);
  else if (op === Op.RET) classes.returned(operands[0], fn);
  else if (op === Op.CALL) {
    const callee = symbol as IrFunction;
    operands.forEach((value, n) => classes.same(value, callee.parameters[n]));
    classes.returned(i, callee);
  } else if (op === Op.CALL_BUILTIN) noteCall(classes, i);
  successors.forEach((target, edge) =>
    (successorArguments[edge] ?? []).forEach((value, n) => classes.same(value, target.parameters[n])),
  );
}

function usesPipes(module: Module): boolean {
  for (const fn of module.functions.values()) {
    if (fn.kernel?.arguments.some(({ kind }) => kind === "pipe") === true) return true;
    for (const { instructions } of fn.blocks)
      for (const { op, symbol } of instructions)
        if (op === Op.CALL_BUILTIN && pipeFunctionOf((symbol as BuiltinReference).name) !== null) return true;
  }
  return false;
}

/** Finds the pipes and reservations of a program. */
export function handlesOf(module: Module): Handles {
  if (!usesPipes(module)) return NO_HANDLES;
  const classes = new HandleClasses();
  for (const fn of module.functions.values()) {
    fn.kernel?.arguments.forEach(({ kind, access }, n) => {
      if (kind === "pipe") classes.note(fn.parameters[n], { kind: "pipe", access: access === "write_only" ? 1 : 0 });
    });
    for (const { instructions } of fn.blocks) for (const i of instructions) noteInstruction(classes, fn, i);
  }
  return classes.handles();
}

/** True for the null of pipes and reservations. */
export function isNull(value: Value): value is Constant {
  return value.kind === "constant" && value.low === 0 && value.high === 0;
}
