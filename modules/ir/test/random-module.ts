// SPDX-License-Identifier: Apache-2.0
// Makes random modules that verify and whose functions end: what the property tests of this package print, parse,
// encode and damage. Over 800 lines in one file: each kind of instruction has its maker, and all of them draw from and
// add to one pool of values in scope.
import { groupBy } from "@muxkit/cargo";
import {
  type AtomicKind,
  type Block,
  Builder,
  type BuiltinReference,
  CONSTANT,
  type Constant,
  F16,
  F32,
  F64,
  GENERIC,
  GLOBAL,
  Global,
  I1,
  I16,
  I32,
  I64,
  I8,
  type Instruction,
  IrFunction,
  LAYOUT_32,
  LOCAL,
  type Location,
  Module,
  OPS,
  Op,
  PRIVATE,
  type Type,
  UNROLL_FULLY,
  VOID,
  type Value,
  VOLATILE,
  arrayType,
  constantBits,
  constantInt,
  constantVector,
  constantZero,
  intType,
  isFloat,
  isInt,
  laneCount,
  opaqueType,
  pointerType,
  scalarOf,
  sizeOf,
  structType,
  vectorType,
  withLanesOf,
} from "@muxkit/ir";

/** Numbers that follow from a seed (mulberry32). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** 0 to 2^32 - 1. */
  bits(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** 0 to `count` - 1. */
  below(count: number): number {
    return this.bits() % count;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error("an empty list");
    return found;
  }
}

const SCALARS: readonly Type[] = [I1, I8, I16, I32, I32, I64, F16, F32, F32, F64];
const LANES = [2, 3, 4, 8, 16];
const NAMES = ["", "", "x", "sum", "i", "a.b"];
const KINDS: readonly AtomicKind[] = ["exchange", "add", "sub", "and", "or", "xor", "smin", "smax", "umin", "umax"];
const RULES_OF: ReadonlyMap<string, readonly number[]> = groupBy(OPS.keys(), (op) => OPS[op]?.rule ?? "");

function randomScalar(random: Random, type: Type): Constant {
  const small = [0, 1, 2, 0xffff_ffff, 0x8000_0000, 0x7fff_ffff, 0x3f80_0000, 0x7f80_0000, 0x7fc0_0001, 0x8000_0000];
  if (type.kind === "pointer") return constantZero(type);
  return random.chance(50)
    ? constantBits(type, random.pick(small), random.pick([0, 0xffff_ffff, 0x7ff0_0000, 0x3ff0_0000]))
    : constantBits(type, random.bits(), random.bits());
}

/** A constant of a type, often a special one. */
export function randomConstant(random: Random, type: Type): Constant {
  if (type.kind !== "vector") return randomScalar(random, type);
  const first = randomScalar(random, scalarOf(type));
  return constantVector(
    type,
    Array.from({ length: type.count }, () => (random.chance(40) ? first : randomScalar(random, scalarOf(type)))),
  );
}

/**
 * What modules are for: `any` holds everything that verifies; `machine` what a code generator takes as it is, and
 * nothing that shows the bits of a NaN that was computed (docs/decisions/016-nan-bits.md), so that every way to run it
 * agrees; `traced` is `any` with calls of a built-in `trace(int)` that work-items must reach together, and barriers:
 * the caller sees their order.
 */
type Purpose = "any" | "machine" | "traced";

/** Ops that a target lowers before it generates code, or that show a NaN's sign. */
const NOT_FOR_MACHINES: ReadonlySet<number> = new Set([Op.FREM, Op.FMA, Op.FCOPYSIGN]);

function randomType(random: Random, purpose: Purpose = "any"): Type {
  const scalar = random.pick(purpose !== "machine" ? SCALARS : SCALARS.filter((type) => type !== F16));
  return random.chance(25) ? vectorType(scalar, random.pick(LANES)) : scalar;
}

function memoryType(random: Random, purpose: Purpose, depth: number = 0): Type {
  if (depth < 2 && random.chance(20)) return arrayType(memoryType(random, purpose, depth + 1), 1 + random.below(5));
  if (depth < 2 && random.chance(20)) {
    const members = Array.from({ length: 1 + random.below(3) }, () => memoryType(random, purpose, depth + 1));
    return structType(
      random.pick(["", "pair", "struct of things"]),
      members,
      random.chance(30),
      random.pick([0, 0, 16]),
    );
  }
  return random.chance(10)
    ? pointerType(random.pick([PRIVATE, GLOBAL, CONSTANT, LOCAL, GENERIC]))
    : randomType(random, purpose);
}

class FunctionMaker {
  private readonly purpose: Purpose;
  private readonly random: Random;
  private readonly module: Module;
  private readonly fn: IrFunction;
  private readonly builder: Builder;
  /** Values that may be used where the builder stands. */
  private pool: Value[];
  private readonly variables: Instruction[] = [];
  private budget: number;

  constructor(random: Random, module: Module, fn: IrFunction, purpose: Purpose) {
    this.purpose = purpose;
    this.makers =
      purpose === "machine"
        ? this.portable
        : [...this.portable, ...this.lowered, ...(purpose === "traced" ? this.effects : [])];
    this.random = random;
    this.module = module;
    this.fn = fn;
    this.builder = new Builder(fn.addBlock("entry"));
    this.pool = [...fn.parameters];
    this.budget = 10 + random.below(40);
  }

  run(): void {
    const { random, builder, fn } = this;
    for (let i = random.below(5); i > 0; i--) {
      const type = random.chance(30)
        ? arrayType(random.pick([I8, I16, I32, I64]), 1 + random.below(6))
        : memoryType(random, this.purpose);
      this.variables.push(builder.alloca(type, random.pick([16, 32, 128]), random.pick(NAMES)));
    }
    this.statements(2);
    if (fn.returnType === VOID) builder.return();
    else builder.return(this.value(fn.returnType));
    if (random.chance(10)) new Builder(fn.addBlock("lost")).unreachable();
  }

  private block(name: string): Block {
    return this.fn.addBlock(this.random.chance(50) ? name : "");
  }

  /** A value of a type: one that is known, or a constant. */
  private value(type: Type): Value {
    const known = this.pool.filter((value) => value.type === type);
    return known.length > 0 && this.random.chance(75) ? this.random.pick(known) : randomConstant(this.random, type);
  }

  private keep(made: Instruction): Instruction {
    const { random } = this;
    if (made.type !== VOID) {
      made.name = random.pick(NAMES);
      this.pool.push(made);
    }
    return made;
  }

  private location(): Location | null {
    const { random } = this;
    if (random.chance(30)) return null;
    const own: Location = {
      file: random.pick(["a.cl", 'odd "name".cl']),
      line: 1 + random.below(100),
      column: 1 + random.below(80),
      scope: random.pick(["f", "g"]),
      inlinedAt: null,
    };
    return random.chance(25)
      ? { ...own, inlinedAt: { file: "b.cl", line: 3, column: 4, scope: "caller", inlinedAt: null } }
      : own;
  }

  private statements(depth: number): void {
    for (let i = 2 + this.random.below(8); i > 0; i--) {
      this.builder.location = this.location();
      this.budget--;
      if (depth > 0 && this.budget > 0 && this.random.chance(20)) this.control(depth - 1);
      else this.random.pick(this.makers)();
    }
  }

  /** An if with a parameter at its join, a counted loop, or a switch. */
  private control(depth: number): void {
    const { random, builder } = this;
    const outer = [...this.pool];
    const type = randomType(random, this.purpose);
    const join = this.block("join");
    if (random.chance(25)) {
      // A loop that tests at its end.
      const body = this.block("body");
      const counter = body.addParameter(I32, "i");
      const carried = body.addParameter(type);
      this.touchElements(constantInt(I32, 0));
      builder.branch(body, constantInt(I32, 0), this.value(type));
      builder.block = body;
      this.pool = [...outer, counter, carried];
      this.touchElements(counter);
      this.statements(depth);
      const next = builder.same(Op.ADD, counter, constantInt(I32, 1));
      const bound = random.chance(50)
        ? constantInt(I32, random.below(5))
        : builder.same(Op.UMIN, this.value(I32), constantInt(I32, 4));
      builder.conditionalBranch(
        builder.compare(Op.ULT, next, bound),
        body,
        join,
        [next, this.value(type)],
        [this.value(type)],
      );
    } else if (random.chance(40)) {
      this.touchElements(constantInt(I32, 0));
      const head = this.block("head");
      if (random.chance(20)) head.unroll = random.pick([1, 2, 3, UNROLL_FULLY]);
      const body = this.block("body");
      const counter = head.addParameter(I32, "i");
      const carried = head.addParameter(type);
      builder.branch(head, constantInt(I32, 0), this.value(type));
      builder.block = head;
      this.pool = [...outer, counter, carried];
      // The trip count is a constant, or a value that is kept small.
      const bound = random.chance(60)
        ? constantInt(I32, random.below(5))
        : builder.same(Op.UMIN, this.value(I32), constantInt(I32, 5));
      const goesOn = builder.compare(Op.ULT, counter, bound);
      builder.conditionalBranch(goesOn, body, join, [], [this.value(type)]);
      builder.block = body;
      if (random.chance(50)) this.touchElements(counter);
      this.statements(depth);
      if (random.chance(25)) {
        const on = this.block("on");
        builder.conditionalBranch(this.value(I1), join, on, [this.value(type)], []);
        builder.block = on;
      }
      builder.branch(head, builder.same(Op.ADD, counter, constantInt(I32, 1)), this.value(type));
    } else if (random.chance(60)) {
      const then = this.block("then");
      const direct = random.chance(30);
      const other = direct ? join : this.block("else");
      builder.conditionalBranch(this.value(I1), then, other, [], direct ? [this.value(type)] : []);
      for (const branch of direct ? [then] : [then, other]) {
        builder.block = branch;
        this.pool = [...outer];
        this.statements(depth);
        builder.branch(join, this.value(type));
      }
    } else {
      const blocks = Array.from({ length: 1 + random.below(6) }, () => this.block("case"));
      const otherwise = this.block("default");
      builder.switch(
        this.value(random.pick([I8, I16, I32])),
        otherwise,
        blocks.map((block, i) => [i * 3 - 4, block] as const),
      );
      for (const branch of [otherwise, ...blocks]) {
        builder.block = branch;
        this.pool = [...outer];
        this.statements(0);
        builder.branch(join, this.value(type));
      }
    }
    builder.block = join;
    this.pool = [...outer, join.addParameter(type, random.pick(NAMES))];
  }

  /** An array of ints, the type of its elements and the index of the last one; null: there is none. */
  private arrayOfInts(): { readonly array: Instruction; readonly element: Type; readonly last: Constant } | null {
    const arrays = this.variables.filter(
      ({ elementType }) =>
        elementType?.kind === "array" &&
        elementType.element !== null &&
        isInt(elementType.element) &&
        scalarOf(elementType.element).bits > 1,
    );
    if (arrays.length === 0) return null;
    const array = this.random.pick(arrays);
    return {
      array,
      element: array.elementType?.element ?? I8,
      last: constantInt(I32, (array.elementType?.count ?? 1) - 1),
    };
  }

  /**
   * Reads and writes elements of one array by the counter of a loop and at constant indices: loads that stores may
   * overwrite, in this iteration or the next.
   */
  private touchElements(counter: Value): void {
    const { random, builder } = this;
    const found = this.arrayOfInts();
    if (found === null) return;
    const { array, element, last } = found;
    for (let i = 1 + random.below(4); i > 0; i--) {
      const index = random.chance(40)
        ? builder.same(Op.UMIN, counter, last)
        : constantInt(I32, random.below(Math.min(2, last.low + 1)));
      const address = builder.address(array, index, sizeOf(LAYOUT_32, element), 0);
      if (random.chance(40))
        builder.store(random.chance(50) ? this.resized(counter, element) : this.value(element), address, 1);
      else this.observe(this.keep(builder.load(element, address, 1)));
    }
  }

  /** An i32 as another int type. */
  private resized(value: Value, type: Type): Value {
    const { bits } = scalarOf(type);
    if (type.kind === "vector" || bits === 32) return type === I32 ? value : this.value(type);
    return this.builder.convert(bits < 32 ? Op.TRUNC : Op.ZEXT, value, type);
  }

  /** Makes an int visible from outside. */
  private observe(value: Value): void {
    const { builder } = this;
    if (this.purpose !== "traced" || value.type.kind !== "int") return;
    const { bits } = value.type;
    builder.callBuiltin(TRACE, VOID, [
      bits === 32 ? value : builder.convert(bits < 32 ? Op.ZEXT : Op.TRUNC, value, I32),
    ]);
  }

  private op(rule: string): number {
    const list = RULES_OF.get(rule) ?? [];
    return this.random.pick(this.purpose !== "machine" ? list : list.filter((op) => !NOT_FOR_MACHINES.has(op)));
  }

  private intType(): Type {
    for (;;) {
      const type = randomType(this.random, this.purpose);
      if (isInt(type)) return type;
    }
  }

  private floatType(): Type {
    for (;;) {
      const type = randomType(this.random, this.purpose);
      if (isFloat(type)) return type;
    }
  }

  private vector(): Type {
    return vectorType(scalarOf(randomType(this.random, this.purpose)), this.random.pick(LANES));
  }

  /** A variable's pointer and type, if there is one; memory is only touched where it is. */
  private withVariable(use: (pointer: Instruction, type: Type) => void): void {
    const plain = this.variables.filter(
      ({ elementType }) => elementType !== null && elementType.kind !== "array" && elementType.kind !== "struct",
    );
    if (plain.length === 0) return;
    const pointer = this.random.pick(plain);
    use(pointer, pointer.elementType ?? I32);
  }

  /** An address within an array of ints, and their type; at times that of a part of an element. */
  private withElement(use: (pointer: Value, type: Type) => void): void {
    const { random, builder } = this;
    const found = this.arrayOfInts();
    if (found === null) return;
    const { array, element, last } = found;
    const index = random.chance(50)
      ? constantInt(I32, random.below(last.low + 1))
      : builder.same(Op.UMIN, this.value(I32), last);
    const pointer = builder.address(array, index, sizeOf(LAYOUT_32, element), 0);
    use(pointer, random.chance(30) ? I8 : element);
  }

  /** Neighbouring elements of an array by a mask that is off after its end. */
  private byMask(): void {
    const { random, builder } = this;
    const found = this.arrayOfInts();
    if (found === null || found.element.kind !== "int" || found.element.bits === 1) return;
    const { array, element, last } = found;
    const count = random.pick(LANES);
    const type = vectorType(element, count);
    const first = constantInt(I32, random.below(last.low + 1));
    const indices = constantVector(
      vectorType(I32, count),
      Array.from({ length: count }, (_, i) => constantInt(I32, first.low + i)),
    );
    const inside = builder.compare(
      Op.ULE,
      indices,
      builder.splat(random.chance(50) ? builder.same(Op.UMIN, this.value(I32), last) : last, count),
    );
    const mask = random.chance(50) ? inside : builder.same(Op.AND, inside, this.value(inside.type));
    const pointer = builder.address(array, first, sizeOf(LAYOUT_32, element), 0);
    if (random.chance(50)) builder.maskedStore(this.value(type), pointer, mask, 1);
    else this.keep(builder.maskedLoad(type, pointer, mask, 1));
  }

  /** Elements of an array, or halves of them, anywhere. */
  private byPointers(): void {
    const { random, builder } = this;
    const found = this.arrayOfInts();
    if (found === null || found.element.kind !== "int" || found.element.bits === 1) return;
    const { array, element, last } = found;
    const count = random.pick(LANES);
    const indices = builder.same(
      Op.UMIN,
      this.value(vectorType(I32, count)),
      constantInt(vectorType(I32, count), last.low),
    );
    const pointers = builder.address(array, indices, sizeOf(LAYOUT_32, element), 0);
    const each = element.bits > 8 && random.chance(30) ? 2 : 1;
    const type = vectorType(each === 1 ? element : intType(element.bits / 2), count * each);
    const mask = this.value(vectorType(I1, count));
    if (random.chance(50)) builder.scatter(this.value(type), pointers, mask, 1);
    else this.keep(builder.gather(type, pointers, mask, 1));
  }

  private readonly makers: readonly (() => void)[];

  /** What any target takes. */
  private groupOperation(): void {
    const { random, builder } = this;
    const scope = random.pick(["work_group", "sub_group"] as const);
    const isUniform = random.chance(50);
    const vote = this.value(I1);
    const any = this.value(randomType(random));
    const number = this.value(random.pick([I8, I32, I64, F32, F64]));
    const kind = random.pick(
      isFloat(number.type)
        ? (["fadd", "fmul", "fmin", "fmax"] as const)
        : (["add", "mul", "and", "xor", "smin", "umax"] as const),
    );
    const cluster = random.chance(30) ? [constantInt(I32, random.pick([1, 2, 4, 8]))] : [];
    random.pick([
      () => this.keep(builder.group(random.pick([Op.GROUP_ALL, Op.GROUP_ANY]), I1, [vote], scope, isUniform)),
      () =>
        this.keep(
          builder.group(
            random.pick([Op.GROUP_BROADCAST, Op.GROUP_SHUFFLE]),
            any.type,
            [any, this.value(I32)],
            scope,
            isUniform,
          ),
        ),
      () => this.keep(builder.group(Op.GROUP_BROADCAST_FIRST, any.type, [any], scope, isUniform)),
      () => this.keep(builder.group(Op.GROUP_BALLOT, vectorType(I32, 4), [vote], "sub_group", isUniform)),
      () => this.keep(builder.group(Op.GROUP_REDUCE, number.type, [number, ...cluster], scope, isUniform, kind)),
      () =>
        this.keep(
          builder.group(
            random.pick([Op.GROUP_SCAN_INCLUSIVE, Op.GROUP_SCAN_EXCLUSIVE]),
            number.type,
            [number],
            scope,
            isUniform,
            kind,
          ),
        ),
    ])();
  }

  private readonly portable: readonly (() => void)[] = [
    () => {
      const type = this.intType();
      let op = this.op(this.random.pick(["binary-int", "shift"]));
      if (this.purpose === "machine" && scalarOf(type).bits === 64 && (op === Op.SMULH || op === Op.UMULH)) op = Op.MUL;
      const made = this.keep(this.builder.same(op, this.value(type), this.value(type)));
      if (this.random.chance(20)) made.flags = 128 << this.random.below(3);
    },
    () => {
      const type = this.intType();
      this.keep(this.builder.same(this.op("unary-int"), this.value(type)));
    },
    () => {
      const type = this.floatType();
      this.builder.floatFlags = this.purpose !== "machine" && this.random.chance(30) ? this.random.below(128) : 0;
      const rule = this.random.pick([
        "binary-float",
        "unary-float",
        ...(this.purpose !== "machine" ? ["ternary-float"] : []),
      ]);
      const operands = Array.from(
        { length: { "binary-float": 2, "unary-float": 1, "ternary-float": 3 }[rule] ?? 1 },
        () => this.value(type),
      );
      this.keep(this.builder.same(this.op(rule), ...operands));
    },
    () => {
      const isFloats = this.random.chance(50);
      const type = isFloats ? this.floatType() : this.intType();
      this.keep(
        this.builder.compare(this.op(isFloats ? "compare-float" : "compare-int"), this.value(type), this.value(type)),
      );
    },
    () => {
      const from = this.random.pick([I32, F32, I8]);
      const to = this.random.pick(this.purpose !== "machine" ? [I64, F64, I16, F16] : [I64, F64, I16]);
      const lanes = this.random.chance(30) ? vectorType(from, 4) : from;
      const ops = {
        intint: to.bits > from.bits ? [Op.ZEXT, Op.SEXT] : [Op.TRUNC],
        intfloat: [Op.SITOFP, Op.UITOFP],
        floatint: [Op.FPTOSI, Op.FPTOUI],
        floatfloat: [to.bits > from.bits ? Op.FPEXT : Op.FPTRUNC],
      };
      const list = ops[`${from.kind}${to.kind}` as keyof typeof ops];
      this.keep(this.builder.convert(this.random.pick(list), this.value(lanes), withLanesOf(to, lanes)));
    },
    () => {
      const type = randomType(this.random, this.purpose);
      this.keep(
        this.builder.select(
          this.value(this.random.chance(50) ? I1 : withLanesOf(I1, type)),
          this.value(type),
          this.value(type),
        ),
      );
    },
    () => {
      const type = this.vector();
      const lane = scalarOf(type);
      const which = this.random.below(5);
      if (which === 0) this.keep(this.builder.splat(this.value(lane), type.count));
      else if (which === 1) this.keep(this.builder.build(Array.from({ length: type.count }, () => this.value(lane))));
      else if (which === 2) this.keep(this.builder.extract(this.value(type), this.value(I32)));
      else if (which === 3) this.keep(this.builder.insertLane(this.value(type), this.value(lane), this.value(I32)));
      else
        this.keep(
          this.builder.shuffle(
            this.value(type),
            this.value(type),
            Array.from({ length: this.random.pick(LANES) }, () => this.random.below(2 * laneCount(type) + 1) - 1),
          ),
        );
    },
    () => {
      this.withVariable((pointer, type) => {
        if (this.random.chance(50)) this.builder.store(this.value(type), pointer, 16).aliasGroup = this.random.below(3);
        else {
          const made = this.keep(this.builder.load(type, pointer, 16));
          if (this.random.chance(20)) made.flags |= VOLATILE;
        }
      });
    },
    () => {
      if (this.variables.length === 0) return;
      const pointer = this.random.pick(this.variables);
      const size = sizeOf(LAYOUT_32, pointer.elementType ?? I8);
      if (this.random.chance(50))
        this.builder.memoryFill(pointer, this.value(I8), constantInt(I32, this.random.below(size + 1)), 16);
      else
        this.keep(
          this.builder.address(
            pointer,
            this.random.chance(60) ? this.value(this.random.pick([I8, I32, I64])) : null,
            this.random.pick([1, 4, 12]),
            this.random.below(9) - 4,
          ),
        );
    },
    () => {
      this.withElement((pointer, type) => {
        if (this.random.chance(60)) this.builder.store(this.value(type), pointer, 1);
        else this.keep(this.builder.load(type, pointer, 1));
      });
    },
    () => {
      const { random } = this;
      const mask = this.value(vectorType(I1, random.pick(LANES)));
      const numbers = this.value(
        vectorType(scalarOf(random.chance(70) ? this.intType() : this.floatType()), random.pick(LANES)),
      );
      // Halves are computed by a target that lowers them first.
      if (random.chance(50) || (this.purpose === "machine" && numbers.type.element === F16))
        this.keep(random.chance(50) ? this.builder.any(mask) : this.builder.all(mask));
      else
        this.keep(
          this.builder.reduce(
            random.pick(
              isFloat(numbers.type)
                ? (["fadd", "fmul", "fmin", "fmax"] as const)
                : (["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"] as const),
            ),
            numbers,
          ),
        );
    },
    () => this.byMask(),
    () => this.byPointers(),
    () => {
      const arrays = this.variables.filter(({ elementType }) => elementType?.kind === "array");
      if (arrays.length < 2) return;
      const [to, from] = [this.random.pick(arrays), this.random.pick(arrays)];
      const size = Math.min(...[to, from].map(({ elementType }) => sizeOf(LAYOUT_32, elementType ?? I8)));
      this.builder.memoryCopy(to, from, constantInt(I32, this.random.below(size + 1)), 1);
    },
    () => {
      this.withVariable((pointer, type) => {
        if (type !== I32 && type !== I64) return;
        const { builder, random } = this;
        const which = random.below(4);
        if (which === 0)
          this.keep(
            builder.atomicReadModifyWrite(random.pick(KINDS), pointer, this.value(type), "relaxed", "work_group"),
          );
        else if (which === 1)
          this.keep(builder.atomicCompareExchange(pointer, this.value(type), this.value(type), "seq_cst", "device"));
        else if (which === 2) this.keep(builder.atomicLoad(type, pointer, "acquire", "system"));
        else builder.atomicStore(this.value(type), pointer, "release", "sub_group");
      });
    },
    () => {
      const callees = [...this.module.functions.values()].filter(
        (fn) => fn !== this.fn && fn.kernel === null && fn.blocks.length > 0,
      );
      if (callees.length === 0) return;
      const callee = this.random.pick(callees);
      this.keep(
        this.builder.call(
          callee,
          callee.parameters.map(({ type }) => this.value(type)),
        ),
      );
    },
  ];

  /** What a target lowers first, or what shows bits. */
  private readonly lowered: readonly (() => void)[] = [
    () => {
      const [from, to] = this.random.pick([
        [I32, F32],
        [F64, I64],
        [vectorType(I8, 4), I32],
        [vectorType(F32, 2), vectorType(I16, 4)],
        [I8, vectorType(I1, 8)],
      ] as const);
      this.keep(this.builder.convert(Op.BITCAST, this.value(from), to));
    },
    () => {
      const global = this.random.pick([...this.module.globals.values()]);
      this.keep(this.builder.globalAddress(global));
    },
    () => {
      const row = this.random.pick([Op.GLOBAL_ID, Op.LOCAL_SIZE, Op.NUM_GROUPS, Op.WORK_DIM, Op.LOCAL_LINEAR_ID]);
      this.keep(this.builder.workItem(row, I32, OPS[row]?.rule === "work-item" ? null : this.value(I32)));
    },
    () => this.groupOperation(),
    () => {
      const { builder, random } = this;
      const which = random.below(3);
      if (which === 0) builder.fence("acq_rel", "work_group");
      else if (which === 1) {
        const made = this.keep(builder.same(Op.SPEC_CONSTANT, randomConstant(random, I32)));
        made.offset = random.below(10);
      } else {
        const value = this.value(F32);
        const made = builder.same(Op.DEBUG_VALUE, value);
        made.type = VOID;
        made.symbol = { kind: "variable", name: "x", typeName: "float" };
      }
    },
  ];

  /** What work-items must reach together, in order. */
  private readonly effects: readonly (() => void)[] = [
    () => {
      this.builder.callBuiltin(TRACE, VOID, [this.value(I32)]);
    },
    () => {
      this.builder.barrier("work_group", 3);
    },
  ];
}

/** The built-in that traced modules call. */
export const TRACE: BuiltinReference = { kind: "builtin", name: "trace", parameters: ["int"] };

function addGlobals(random: Random, module: Module): void {
  const made: Global[] = [];
  for (const [i, space] of [GLOBAL, CONSTANT, LOCAL, 100].entries()) {
    const type = arrayType(I32, 4 + random.below(8));
    const global = module.addGlobal(
      new Global(random.pick(["data", "a b", "t$"]) + String(i), type, space, random.pick([4, 16])),
    );
    if (space !== LOCAL && random.chance(80))
      global.initializer = Uint8Array.from({ length: sizeOf(module.layout, type) }, () =>
        random.chance(30) ? random.below(256) : 0,
      );
    made.push(global);
  }
  for (const global of made) {
    if (global.initializer !== null && random.chance(60))
      global.relocations = [
        { offset: 4 * random.below(3), target: random.pick(made), addend: random.pick([0, 4, -8]) },
      ];
  }
}

function addFunctions(random: Random, module: Module, purpose: Purpose): void {
  for (let i = 0; i < 3; i++) {
    const parameters = Array.from({ length: random.below(4) }, () => ({
      type: randomType(random, purpose),
      name: random.pick(NAMES),
    }));
    const fn = new IrFunction(
      random.pick(["f", "g(float,int)", "h."]) + String(i),
      random.chance(70) ? randomType(random, purpose) : VOID,
      parameters,
    );
    fn.inline = random.pick(["none", "always", "never"]);
    if (purpose === "any") [fn.isInternal, fn.isOutside] = [random.chance(20), random.chance(20)];
    module.addFunction(fn);
    new FunctionMaker(random, module, fn, purpose).run();
  }
}

/**
 * Functions as {@link randomModule} makes them, and nothing else: what a code generator takes, and what every way to
 * run it has the same result.
 */
export function randomMachineModule(seed: number): Module {
  const module = new Module(`random ${seed}`, LAYOUT_32);
  addFunctions(new Random(seed), module, "machine");
  return module;
}

/** A module that verifies; the same for the same seed. */
export function randomModule(seed: number): Module {
  return makeModule(seed, "any");
}

/** The same with calls of {@link TRACE} and barriers. */
export function randomTracedModule(seed: number): Module {
  return makeModule(seed, "traced");
}

function makeModule(seed: number, purpose: Purpose): Module {
  const random = new Random(seed);
  const module = new Module(`random ${seed}`, LAYOUT_32);
  addGlobals(random, module);
  module.addFunction(new IrFunction("declared", opaqueType("event"), [{ type: opaqueType("sampler"), name: "s" }]));
  addFunctions(random, module, purpose);
  const kernel = new IrFunction("k", VOID, [{ type: pointerType(GLOBAL), name: "out" }]);
  kernel.kernel = {
    arguments: [
      {
        name: "out",
        typeName: "float4*",
        kind: "pointer",
        addressSpace: "global",
        access: "none",
        isConst: random.chance(50),
        isRestrict: random.chance(50),
        isVolatile: random.chance(50),
        size: 4,
        alignment: 4,
      },
    ],
    requiredWorkGroupSize: random.chance(50) ? [8, 2, 1] : null,
    workGroupSizeHint: random.chance(50) ? [1, 2, 3] : null,
    vecTypeHint: random.chance(50) ? "float4" : null,
    requiredSubGroupSize: random.chance(50) ? 16 : null,
    uniformWorkGroups: random.chance(50),
    attributes: random.chance(50) ? 'a "b" c' : "",
  };
  module.addFunction(kernel);
  new FunctionMaker(random, module, kernel, purpose).run();
  return module;
}
