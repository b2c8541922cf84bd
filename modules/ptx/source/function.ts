// SPDX-License-Identifier: Apache-2.0
/**
 * One function as PTX. Blocks are written in reverse postorder, so values are defined before they are used; block
 * parameters have registers from the beginning, and every edge copies its arguments to them. ptxas takes any graph and
 * predicates short branches by itself.
 */
import { InternalError, alignUp, assert } from "@muxkit/cargo";
import {
  type Block,
  CONSTANT,
  GENERIC,
  GLOBAL,
  type Global,
  type Instruction,
  type IrFunction,
  type Module,
  Op,
  PRIVATE,
  type Parameter,
  type Type,
  type Value,
  isGroupOperation,
  laneCount,
  reversePostorder,
  scalarOf,
  sizeOf,
  switchCases,
  uses,
} from "@muxkit/ir";
import { SIMT_LAUNCH_BYTES, packArgumentLayout, simtLaunchOffset } from "@muxkit/kernel-abi";

import { type Address, loadLanes, loadName, rootOf, spaceOf, storeLanes, storeName } from "./memory.ts";
import { atomicCompareExchange, atomicLoadName, atomicStoreName, atomicUpdate, writeFence } from "./atomics.ts";
import { copyBytes, fillBytes, zeroBytes } from "./memory-blocks.ts";
import { Code } from "./code.ts";
import { addressSpaceOf, castAddress } from "./conversions.ts";
import { writeBarrier, writeGroupOperation } from "./group-operations.ts";
import { integerBits, signExtended } from "./integers.ts";
import { integerLiteral } from "./literals.ts";
import { PRINTF_BUILTINS, stepsOf } from "./kept-builtins.table.ts";
import { reserveRecord } from "./printf-area.ts";
import { PARAMETER } from "./parameter.ts";
import { type Copy, orderedCopies } from "./parallel-copy.ts";
import { registerNeed } from "./register-need.ts";
import { classOf } from "./registers.ts";
import { writeOp } from "./select-op.ts";
import { WorkItemQueries, isDimensionQuery, isGroupQuery } from "./work-item-queries.ts";

/** Names of what a module has. */
export interface Names {
  readonly functionName: (fn: IrFunction) => string;
  readonly globalName: (global: Global) => string;
}

/** Name of the local memory whose size a launch says. */
export const DYNAMIC_LOCAL = "dynamic_local";

/** The array of a function's private variables, and the bytes before the first one. */
const FRAME = "frame";
const FRAME_BASE = 16;
const FRAME_ALIGNMENT = 128;

/** Work-items of the largest group, of any shape: `.maxntid` bounds the product. */
const LARGEST_GROUP: readonly number[] = [1024, 1, 1];
/**
 * Registers that a kernel may need as it is written, for ptxas to find room among the 64 that the largest group has.
 */
const MOST_NEEDED = 44;

/** Where a kernel finds an argument. */
interface ArgumentPlace {
  readonly offset: number;
  /** Read in place: an image's descriptor, or a struct that the kernel only reads. */
  readonly isInPlace: boolean;
}

/** Writes one function. */
export class FunctionWriter {
  private readonly code = new Code();
  private readonly fn: IrFunction;
  private readonly module: Module;
  private readonly names: Names;
  private readonly users: ReadonlyMap<Value, readonly Instruction[]>;
  private readonly labels = new Map<Block, string>();
  private readonly variables: string[] = [];
  /** Variables are parts of one array, behind bytes that none of them has. */
  private readonly hasFrame: boolean;
  private frameBytes = FRAME_BASE;
  private readonly inPlace = new Map<Value, ArgumentPlace>();
  private queries: WorkItemQueries | null = null;

  constructor(fn: IrFunction, module: Module, names: Names) {
    this.fn = fn;
    this.module = module;
    this.names = names;
    this.users = uses(fn);
    this.hasFrame = this.hasPrivateCasts();
  }

  /** The text. */
  write(): string {
    const { fn, code } = this;
    const order = reversePostorder(fn);
    order.forEach((block, i) => {
      this.labels.set(block, `$block_${i}`);
      for (const parameter of block.parameters) code.define(parameter);
    });
    const head = fn.kernel === null ? this.functionHead() : this.kernelHead();
    order.forEach((block, i) => {
      if (i > 0) code.label(this.labelOf(block));
      // A loop that is not to be unrolled, because it was, or because the source says so.
      if (block.unroll === 1) code.emit('.pragma "nounroll"');
      for (const instruction of block.instructions) this.writeInstruction(instruction, order[i + 1] ?? null);
    });
    if (this.frameBytes > FRAME_BASE)
      this.variables.push(`.local .align ${FRAME_ALIGNMENT} .b8 ${FRAME}[${this.frameBytes}];`);
    const declared = code.registers.declarations().map((line) => `  ${line}`);
    return [head, "{", ...declared, ...this.variables.map((line) => `  ${line}`), ...code.lines, "}"].join("\n");
  }

  private labelOf(block: Block): string {
    const label = this.labels.get(block);
    assert(label !== undefined, "a branch leads to a block that is reached");
    return label;
  }

  /** True when control comes back to a block. */
  private hasLoop(): boolean {
    const order = reversePostorder(this.fn);
    const places = new Map(order.map((block, i) => [block, i]));
    return order.some(({ successors }, i) => successors.some((one) => (places.get(one) ?? i + 1) <= i));
  }

  private kernelHead(): string {
    const { fn, code } = this;
    const { kernel } = fn;
    assert(kernel !== null, "a kernel is described");
    const packed = packArgumentLayout(kernel.arguments, 8);
    const launch = simtLaunchOffset(packed.bytes);
    this.queries = new WorkItemQueries(code, PARAMETER, launch);
    fn.parameters.forEach((parameter, i) => {
      this.placeArgument(parameter, kernel.arguments[i]?.kind ?? "value", packed.offsets[i] ?? 0);
    });
    const { coarsened, requiredWorkGroupSize } = kernel;
    const items = coarsened?.items ?? 1;
    const required: readonly number[] | null =
      requiredWorkGroupSize === null
        ? null
        : requiredWorkGroupSize.map((size, axis) => (axis === 0 ? size / items : size));
    // The loop of a coarsened kernel is for the few threads whose items part.
    const hasLoop = coarsened === undefined && this.hasLoop();
    const isRelaxed = hasLoop && (required !== null || registerNeed(fn) <= MOST_NEEDED);
    const size = required ?? (isRelaxed ? LARGEST_GROUP : null);
    const bounds = size === null ? "" : `\n.maxntid ${size.join(", ")}${isRelaxed ? "\n.minnctapersm 1" : ""}`;
    const name = this.names.functionName(fn);
    return `.visible .entry ${name}(.param .align 16 .b8 ${PARAMETER}[${launch + SIMT_LAUNCH_BYTES}])${bounds}`;
  }

  private placeArgument(parameter: Parameter, kind: string, offset: number): void {
    const { code } = this;
    const { type } = parameter;
    const address: Address = { base: PARAMETER, offset, space: ".param" };
    if (kind === "image") {
      this.inPlace.set(parameter, { offset, isInPlace: true });
      // One among several images is known by its generic address.
      if (!this.isOnlyRead(parameter)) code.place(parameter, [this.genericArgument(parameter)]);
    } else if (kind === "value" && type.kind === "pointer") {
      if (this.isOnlyRead(parameter)) this.inPlace.set(parameter, { offset, isInPlace: true });
      else {
        const bytes = this.fn.kernel?.arguments[this.fn.parameters.indexOf(parameter)]?.size ?? 0;
        const pointer = this.variable(bytes, 16);
        copyBytes(code, { base: pointer, offset: 0, space: ".local" }, address, bytes, 4);
        code.place(parameter, [pointer]);
      }
    } else if (kind === "local") {
      const [dynamic] = loadLanes(code, "ld.param", address, type, 8);
      const base = code.into("b64", "mov.u64", DYNAMIC_LOCAL);
      code.place(parameter, [code.into("b64", "add.s64", base, dynamic as string)]);
    } else {
      const bytes = sizeOf(this.module.layout, type);
      code.place(
        parameter,
        loadLanes(code, "ld.param", address, type, Math.min(16, offset === 0 ? 16 : offset & -offset, bytes)),
      );
    }
  }

  /** True for a struct that is never written, nor leaves the function by its address. */
  private isOnlyRead(pointer: Value): boolean {
    return (this.users.get(pointer) ?? []).every(
      (user) =>
        user.op === Op.LOAD ||
        (user.op === Op.MEMORY_COPY && user.operands[1] === pointer && user.operands[0] !== pointer) ||
        (user.op === Op.ADDRESS && user.operands[0] === pointer && this.isOnlyRead(user)),
    );
  }

  private functionHead(): string {
    const { fn, code } = this;
    fn.parameters.forEach((parameter, i) => {
      const registers = code.define(parameter);
      registers.forEach((register, lane) => {
        this.moveFromParameter(register, `argument_${i}`, lane, scalarOf(parameter.type));
      });
    });
    const list = fn.parameters.map(({ type }, i) => passedParameter(type, `argument_${i}`)).join(", ");
    const result = fn.returnType.kind === "void" ? "" : `(${passedParameter(fn.returnType, RESULT)}) `;
    return `.func ${result}${this.names.functionName(fn)}(${list})`;
  }

  /** A lane of what is passed; a predicate as 32 bits. */
  private moveFromParameter(register: string, parameter: string, lane: number, type: Type): void {
    const { code } = this;
    const place = passedPlace(parameter, lane, type);
    if (isPredicate(type)) {
      const number = code.into("b32", "ld.param.b32", place);
      code.emit("setp.ne.u32", register, number, "0");
    } else code.emit(`ld.param.${passedType(type)}`, register, place);
  }

  private moveToParameter(parameter: string, lane: number, operand: string, type: Type): void {
    const { code } = this;
    const value = isPredicate(type) ? code.into("b32", "selp.b32", "1", "0", operand) : operand;
    code.emit(`st.param.${passedType(type)}`, passedPlace(parameter, lane, type), value);
  }

  /** A variable in private memory; returns a register with its address. */
  private variable(bytes: number, alignment: number): string {
    const size = Math.max(1, bytes);
    if (!this.hasFrame) {
      const name = `variable_${this.variables.length}`;
      this.variables.push(`.local .align ${alignment} .b8 ${name}[${size}];`);
      return this.code.into("b64", "mov.u64", name);
    }
    const offset = alignUp(this.frameBytes, alignment);
    this.frameBytes = offset + size;
    return this.code.into("b64", "add.s64", this.code.into("b64", "mov.u64", FRAME), String(offset));
  }

  /** True where private pointers become generic ones: null is 0 then, so no variable may be at address 0. */
  private hasPrivateCasts(): boolean {
    return this.fn.blocks.some(({ instructions }) =>
      instructions.some(({ op, operands }) => op === Op.ADDRSPACECAST && operands[0]?.type.addressSpace === PRIVATE),
    );
  }

  /** An address for an access by a pointer. */
  private addressOf(pointer: Value): Address {
    const { root, offset } = rootOf(pointer);
    const place = this.inPlace.get(root);
    if (place?.isInPlace === true) return { base: PARAMETER, offset: place.offset + offset, space: ".param" };
    const space = this.spaceOfAccess(pointer);
    const based = this.code.based(pointer);
    return { ...based, space };
  }

  /**
   * Constant memory may be a descriptor among the parameters of a kernel, where it is not known to be anything else.
   */
  private spaceOfAccess(pointer: Value): string {
    const { addressSpace } = scalarOf(pointer.type);
    if (addressSpace === CONSTANT) return this.isGlobalConstant(pointer) ? spaceOf(GLOBAL) : spaceOf(GENERIC);
    return addressSpace === PRIVATE && this.isInPlaceRoot(pointer) ? spaceOf(GENERIC) : spaceOf(addressSpace);
  }

  private isInPlaceRoot(pointer: Value): boolean {
    return this.inPlace.has(this.originOf(pointer));
  }

  /** What a pointer was computed from. */
  private originOf(pointer: Value): Value {
    let origin = pointer;
    while (origin.kind === "instruction" && origin.op === Op.ADDRESS) [origin] = origin.operands as [Value];
    return origin;
  }

  private isGlobalConstant(pointer: Value): boolean {
    const origin = this.originOf(pointer);
    if (origin.kind === "instruction") return origin.op === Op.GLOBAL_ADDRESS;
    return origin.kind === "parameter" && this.fn.kernel !== null && !this.inPlace.has(origin);
  }

  /** True for memory that nobody writes while the kernel runs. */
  private isReadOnly(pointer: Value): boolean {
    const { addressSpace } = scalarOf(pointer.type);
    if (addressSpace === CONSTANT) return this.isGlobalConstant(pointer);
    if (addressSpace !== GLOBAL || this.fn.kernel === null) return false;
    const origin = this.originOf(pointer);
    if (origin.kind !== "parameter") return false;
    const described = this.fn.kernel.arguments[this.fn.parameters.indexOf(origin)];
    return described !== undefined && described.isConst && described.isRestrict && !described.isVolatile;
  }

  private writeInstruction(instruction: Instruction, next: Block | null): void {
    const { code } = this;
    const { op } = instruction;
    const write = EFFECTS.get(op);
    if (write !== undefined) {
      write(this, instruction, next);
      return;
    }
    if (isDimensionQuery(op) || isGroupQuery(op)) code.place(instruction, [this.query(instruction)]);
    else if (isGroupOperation(op)) code.place(instruction, writeGroupOperation(code, instruction));
    else code.place(instruction, writeOp(code, instruction, this.users.get(instruction) ?? []));
  }

  private query({ op, operands }: Instruction): string {
    const { queries } = this;
    if (queries === null) throw new InternalError("only kernels ask for their work-item: inline what does");
    const [dimension] = operands;
    if (!isDimensionQuery(op) || dimension === undefined) return queries.ofGroup(op);
    const known = dimension.kind === "constant" ? dimension.low : null;
    return queries.byDimension(op, known, known === null ? this.code.scalar(dimension) : "");
  }

  writeAlloca(instruction: Instruction): void {
    const { elementType, alignment } = instruction;
    assert(elementType !== null, "a variable has a type");
    const bytes = sizeOf(this.module.layout, elementType);
    const pointer = this.variable(bytes, Math.max(8, alignment));
    zeroBytes(this.code, { base: pointer, offset: 0, space: ".local" }, bytes);
    this.code.place(instruction, [pointer]);
  }

  writeLoad(instruction: Instruction): void {
    const [pointer] = instruction.operands as [Value];
    const address = this.addressOf(pointer);
    const name = loadName(instruction, address.space, address.space === ".global" && this.isReadOnly(pointer));
    this.code.place(instruction, loadLanes(this.code, name, address, instruction.type, instruction.alignment));
  }

  writeStore(instruction: Instruction): void {
    const [value, pointer] = instruction.operands as [Value, Value];
    const address = this.addressOf(pointer);
    const name = storeName(instruction, address.space);
    storeLanes(this.code, name, address, value.type, instruction.alignment, this.code.lanes(value));
  }

  writeAtomicLoad(instruction: Instruction): void {
    const [pointer] = instruction.operands as [Value];
    const { addressSpace } = pointer.type;
    const name = atomicLoadName(this.code, instruction, addressSpace);
    const { type } = instruction;
    this.code.place(instruction, loadLanes(this.code, name, this.addressOf(pointer), type, integerBits(type) / 8));
  }

  writeAtomicStore(instruction: Instruction): void {
    const [value, pointer] = instruction.operands as [Value, Value];
    const name = atomicStoreName(this.code, instruction, pointer.type.addressSpace);
    const alignment = integerBits(value.type) / 8;
    storeLanes(this.code, name, this.addressOf(pointer), value.type, alignment, this.code.lanes(value));
  }

  writeAtomicUpdate(instruction: Instruction): void {
    const [pointer, operand, swapped] = instruction.operands as [Value, Value, Value?];
    const { code } = this;
    const access = {
      instruction,
      pointer: code.scalar(pointer),
      space: pointer.type.addressSpace,
      type: instruction.type,
    };
    const old =
      swapped === undefined
        ? atomicUpdate(code, access, code.scalar(operand))
        : atomicCompareExchange(code, access, code.scalar(operand), code.scalar(swapped));
    code.place(instruction, [old]);
  }

  /** `address`: constant offsets are left for the accesses. */
  writeAddress(instruction: Instruction): void {
    const { code } = this;
    const { operands, scale, offset, type } = instruction;
    const [pointer, index] = operands as [Value, Value?];
    if (this.isInPlaceRoot(pointer)) {
      // A constant offset is a part of the accesses; with an index, the address is a generic one.
      const base = index === undefined ? null : this.genericArgument(pointer);
      if (base === null) return;
      code.placeBehind(instruction, this.indexed(base, index as Value, scale), offset);
      return;
    }
    if (laneCount(type) > 1) throw new InternalError("there are no vectors of pointers: do not vectorise");
    const based = code.based(pointer);
    const register = index === undefined ? based.base : this.indexed(based.base, index, scale);
    code.placeBehind(instruction, register, based.offset + offset);
  }

  /** The generic address of what is read among the parameters. */
  private genericArgument(pointer: Value): string {
    const { root, offset } = rootOf(pointer);
    const place = this.inPlace.get(root);
    if (place === undefined) return this.code.scalar(pointer);
    const own = this.code.into("b64", "mov.b64", PARAMETER);
    const generic = this.code.into("b64", "cvta.param.u64", own);
    return this.code.into("b64", "add.s64", generic, String(place.offset + offset));
  }

  private indexed(base: string, index: Value, scale: number): string {
    const { code } = this;
    if (index.kind === "constant") {
      const bytes = BigInt.asIntN(64, (BigInt(index.high) << 32n) | BigInt(index.low));
      const own = BigInt.asIntN(index.type.bits, bytes) * BigInt(scale);
      return code.into("b64", "add.s64", base, String(BigInt.asIntN(64, own)));
    }
    const extended = this.extendedIndex(index);
    if (extended !== null) return code.into("b64", `mad.wide.${extended.sign}32`, extended.number, String(scale), base);
    const number = code.scalar(index);
    if (index.type.bits === 64)
      return scale === 1
        ? code.into("b64", "add.s64", base, number)
        : code.into("b64", "mad.lo.s64", number, String(scale), base);
    const wide = signExtended(
      code,
      index.type.bits === 1 ? code.into("b32", "selp.b32", "-1", "0", number) : number,
      index.type.bits === 1 ? 32 : index.type.bits,
    );
    return code.into("b64", "mad.wide.s32", wide, String(scale), base);
  }

  /** What an index of 64 bits was extended from, where the machine extends it while it multiplies. */
  private extendedIndex(index: Value): { readonly number: string; readonly sign: "s" | "u" } | null {
    if (index.kind !== "instruction" || (index.op !== Op.ZEXT && index.op !== Op.SEXT)) return null;
    const [narrow] = index.operands as [Value];
    if (index.type.bits !== 64 || narrow.type.bits !== 32) return null;
    return { number: this.code.scalar(narrow), sign: index.op === Op.SEXT ? "s" : "u" };
  }

  writeGlobalAddress(instruction: Instruction): void {
    const { symbol } = instruction;
    assert(symbol?.kind === "global", "the address of a global names it");
    this.code.place(instruction, [this.code.into("b64", "mov.u64", this.names.globalName(symbol))]);
  }

  writeCopy(instruction: Instruction): void {
    const [to, from, bytes] = instruction.operands as [Value, Value, Value];
    const alignment = Math.max(1, instruction.alignment);
    const size = bytes.kind === "constant" ? bytes.low : this.wide(bytes);
    copyBytes(this.code, this.addressOf(to), this.addressOf(from), size, alignment);
  }

  writeFill(instruction: Instruction): void {
    const [to, byte, bytes] = instruction.operands as [Value, Value, Value];
    fillBytes(
      this.code,
      this.addressOf(to),
      this.code.scalar(byte),
      bytes.kind === "constant" ? bytes.low : this.wide(bytes),
    );
  }

  private wide(number: Value): string {
    const register = this.code.scalar(number);
    return number.type.bits === 64 ? register : this.code.into("b64", "cvt.u64.u32", register);
  }

  writeCast(instruction: Instruction): void {
    const [pointer] = instruction.operands as [Value];
    const operand = this.code.scalar(pointer);
    this.code.place(instruction, [
      castAddress(this.code, operand, pointer.type.addressSpace, instruction.type.addressSpace),
    ]);
  }

  writeAddressSpace(instruction: Instruction): void {
    this.code.place(instruction, [addressSpaceOf(this.code, this.code.scalar(instruction.operands[0] as Value))]);
  }

  writeCall(instruction: Instruction): void {
    const { code } = this;
    const { symbol, operands, type } = instruction;
    assert(symbol?.kind === "function", "a call names a function");
    const label = code.newLabel("call").slice(1);
    const result = `${label}_result`;
    code.lines.push("  {");
    if (type.kind !== "void") code.lines.push(`  ${passedParameter(type, result)};`);
    operands.forEach((operand, i) => {
      code.lines.push(`  ${passedParameter(operand.type, `${label}_${i}`)};`);
      this.argumentLanes(operand).forEach((lane, n) => {
        this.moveToParameter(`${label}_${i}`, n, lane, scalarOf(operand.type));
      });
    });
    const list = `${this.names.functionName(symbol)}, (${operands.map((_, i) => `${label}_${i}`).join(", ")})`;
    code.lines.push(`  call ${type.kind === "void" ? "" : `(${result}), `}${list};`);
    if (type.kind !== "void")
      code.define(instruction).forEach((register, lane) => {
        this.moveFromParameter(register, result, lane, scalarOf(type));
      });
    code.lines.push("  }");
  }

  /** What is read in place is passed by its generic address. */
  private argumentLanes(operand: Value): readonly string[] {
    return this.inPlace.has(rootOf(operand).root) ? [this.genericArgument(operand)] : this.code.lanes(operand);
  }

  writeBuiltin(instruction: Instruction): void {
    const { code } = this;
    const { symbol, operands } = instruction;
    if (symbol?.kind === "builtin" && PRINTF_BUILTINS.has(symbol.name)) {
      this.writePrintf(instruction, symbol.name);
      return;
    }
    const steps = symbol?.kind === "builtin" ? stepsOf(symbol) : null;
    if (steps === null)
      throw new InternalError(`a call of ${symbol?.kind === "builtin" ? symbol.name : "a built-in"} must be lowered`);
    const lanes = operands.map((operand) => code.lanes(operand));
    code.place(
      instruction,
      (lanes[0] ?? []).map((_, lane) => {
        const results: string[] = [];
        const read = (operand: string): string => {
          if (operand === "_") return results.at(-1) as string;
          if (operand.startsWith("#")) return results[Number(operand.slice(1))] as string;
          const argument = operand === "x" ? lanes[0] : operand === "y" ? lanes[1] : undefined;
          return argument === undefined ? operand : (argument[lane] as string);
        };
        for (const [name, ...wanted] of steps) {
          const [registerClass, own] = name.startsWith(BITS)
            ? (["b32", name.slice(4)] as const)
            : (["f32", name] as const);
          results.push(code.into(registerClass, own, ...wanted.map(read)));
        }
        return results.at(-1) as string;
      }),
    );
  }

  /** Records are whole for the host when the launch has ended, so nothing is to be done to commit one. */
  private writePrintf(instruction: Instruction, name: string): void {
    const { code, queries } = this;
    if (queries === null) throw new InternalError("only kernels print: inline what does");
    if (name === "__muxkit_printf_reserve") {
      const [area, , bytes] = instruction.operands as [Value, Value, Value];
      code.place(instruction, [reserveRecord(code, code.scalar(area), code.scalar(bytes))]);
    } else code.place(instruction, [name === "__muxkit_printf_commit" ? "0" : queries.printfArea()]);
  }

  writeBranch(instruction: Instruction, next: Block | null): void {
    this.leave(instruction, 0, next);
  }

  writeConditionalBranch(instruction: Instruction, next: Block | null): void {
    const { code } = this;
    const condition = code.scalar(instruction.operands[0] as Value);
    const [, other] = instruction.successors as [Block, Block];
    if ((instruction.successorArguments[1] ?? []).length === 0) {
      code.emit(`@!${condition} bra`, this.labelOf(other));
      this.leave(instruction, 0, next);
      return;
    }
    const label = code.newLabel("edge");
    code.emit(`@!${condition} bra`, label);
    this.leave(instruction, 0, null);
    code.label(label);
    this.leave(instruction, 1, next);
  }

  writeSwitch(instruction: Instruction, next: Block | null): void {
    const { code } = this;
    const [value] = instruction.operands as [Value];
    const { bits } = value.type;
    const number = code.scalar(value);
    const edges: (readonly [label: string, edge: number])[] = [];
    switchCases(instruction).forEach((wanted, i) => {
      const target = instruction.successors[i + 1] as Block;
      const isPlain = (instruction.successorArguments[i + 1] ?? []).length === 0;
      const label = isPlain ? this.labelOf(target) : code.newLabel("case");
      if (!isPlain) edges.push([label, i + 1]);
      const text = bits === 64 ? String(wanted) : integerLiteral(bits < 32 ? wanted & (2 ** bits - 1) : wanted >>> 0);
      code.emit(`@${code.into("pred", `setp.eq.${bits === 64 ? "s64" : "u32"}`, number, text)} bra`, label);
    });
    this.leave(instruction, 0, edges.length === 0 ? next : null);
    for (const [label, edge] of edges) {
      code.label(label);
      this.leave(instruction, edge, null);
    }
  }

  /** Copies an edge's arguments and goes to its block, which may be the next one. */
  private leave(terminator: Instruction, edge: number, next: Block | null): void {
    const { code } = this;
    const target = terminator.successors[edge] as Block;
    const copies: Copy[] = [];
    const classes = new Map<string, string>();
    target.parameters.forEach((parameter, i) => {
      const sources = code.lanes((terminator.successorArguments[edge] ?? [])[i] as Value);
      code.lanes(parameter).forEach((register, lane) => {
        const registerClass = classOf(scalarOf(parameter.type));
        copies.push({ target: register, source: sources[lane] as string });
        classes.set(register, registerClass);
      });
    });
    const ordered = orderedCopies(copies, (register) => {
      const registerClass = classes.get(register) as "b32";
      const saved = code.registers.take(registerClass);
      classes.set(saved, registerClass);
      return { target: saved, source: register };
    });
    for (const { target: to, source } of ordered) code.emit(`mov.${classes.get(to) as string}`, to, source);
    if (target !== next) code.emit("bra", this.labelOf(target));
  }

  writeReturn({ operands }: Instruction): void {
    const [value] = operands;
    if (value !== undefined)
      this.code.lanes(value).forEach((lane, i) => {
        this.moveToParameter(RESULT, i, lane, scalarOf(value.type));
      });
    this.code.emit("ret");
  }

  writeTrap(): void {
    this.code.emit("trap");
  }

  writeMemoryOrder(instruction: Instruction): void {
    if (instruction.op === Op.BARRIER) writeBarrier(this.code, instruction);
    else writeFence(this.code, instruction);
  }
}

/** What stands before the name of a step whose result are bits. */
const BITS = "b32:";

/** Name of what a function returns. */
const RESULT = "result";

function isPredicate({ kind, bits }: Type): boolean {
  return kind === "int" && bits === 1;
}

/** A parameter of a function, or what it returns: one for all lanes, since PTX has one result at most. */
function passedParameter(type: Type, name: string): string {
  const bytes = (passedBits(type) / 8) * laneCount(type);
  return laneCount(type) === 1 ? `.param .b${passedBits(type)} ${name}` : `.param .align 16 .b8 ${name}[${bytes}]`;
}

function passedPlace(parameter: string, lane: number, type: Type): string {
  return lane === 0 ? `[${parameter}]` : `[${parameter}+${(lane * passedBits(type)) / 8}]`;
}

/** Bits in which a lane is passed. */
function passedBits(type: Type): number {
  const scalar = scalarOf(type);
  const bits = integerBits(scalar);
  return scalar.kind === "int" ? Math.max(32, bits) : bits;
}

function passedType(type: Type): string {
  return type.kind === "float" && type.bits !== 16 ? `f${type.bits}` : `b${passedBits(type)}`;
}

type Write = (writer: FunctionWriter, instruction: Instruction, next: Block | null) => void;

/** Ops that do more than compute lanes of operands. */
const EFFECTS: ReadonlyMap<number, Write> = new Map<number, Write>([
  [Op.ALLOCA, (writer, one) => writer.writeAlloca(one)],
  [Op.LOAD, (writer, one) => writer.writeLoad(one)],
  [Op.STORE, (writer, one) => writer.writeStore(one)],
  [Op.ADDRESS, (writer, one) => writer.writeAddress(one)],
  [Op.GLOBAL_ADDRESS, (writer, one) => writer.writeGlobalAddress(one)],
  [Op.MEMORY_COPY, (writer, one) => writer.writeCopy(one)],
  [Op.MEMORY_FILL, (writer, one) => writer.writeFill(one)],
  [Op.ATOMIC_LOAD, (writer, one) => writer.writeAtomicLoad(one)],
  [Op.ATOMIC_STORE, (writer, one) => writer.writeAtomicStore(one)],
  [Op.ATOMIC_RMW, (writer, one) => writer.writeAtomicUpdate(one)],
  [Op.ATOMIC_COMPARE_EXCHANGE, (writer, one) => writer.writeAtomicUpdate(one)],
  [Op.FENCE, (writer, one) => writer.writeMemoryOrder(one)],
  [Op.BARRIER, (writer, one) => writer.writeMemoryOrder(one)],
  [Op.ADDRSPACECAST, (writer, one) => writer.writeCast(one)],
  [Op.ADDRESS_SPACE, (writer, one) => writer.writeAddressSpace(one)],
  [Op.CALL, (writer, one) => writer.writeCall(one)],
  [Op.CALL_BUILTIN, (writer, one) => writer.writeBuiltin(one)],
  [Op.DEBUG_VALUE, () => undefined],
  [Op.BR, (writer, one, next) => writer.writeBranch(one, next)],
  [Op.COND_BR, (writer, one, next) => writer.writeConditionalBranch(one, next)],
  [Op.SWITCH, (writer, one, next) => writer.writeSwitch(one, next)],
  [Op.RET, (writer, one) => writer.writeReturn(one)],
  [Op.UNREACHABLE, (writer) => writer.writeTrap()],
]);
