// SPDX-License-Identifier: Apache-2.0
// Wrong rewrites of the compiler's text: the strength of the random kernels is how soon they find each.

/** One wrong rewrite. */
export interface Mutant {
  readonly name: string;
  /** What goes wrong, in words. */
  readonly doc: string;
  /** Where: `front end` rows make all ways of Muxkit wrong alike, so other implementations must find them. */
  readonly area: "front end" | "passes" | "vecz" | "lowering" | "wasm" | "x64" | "ptx";
  /** File, from the root of the repository. */
  readonly file: string;
  /** Text that occurs in the file exactly once, and its replacement. */
  readonly from: string;
  readonly to: string;
}

type Row = readonly [name: string, doc: string, file: string, from: string, to: string];

const SEMA = "modules/opencl-c/source/sema";
const PASSES = "modules/passes/source";
const VECZ = "modules/vecz/source";
const LOWER = "modules/work-item-lowering/source";
const WASM = "modules/wasm/source";
const X64 = "modules/x64/source";
const PTX = "modules/ptx/source";

const FRONT_END: readonly Row[] = [
  ["odd-is-even", ".odd picks the even lanes", `${SEMA}/swizzle.ts`, "i % 2 === 1", "i % 2 === 0"],
  ["swizzle-store-off-by-one", "a store to lanes writes the next lane", `${SEMA}/convert.ts`, "lane * size), size", "((lane + 1) % 2 + (lane & ~1)) * size), size"],
  ["usual-conversion-signed", "int and unsigned int meet in int", `${SEMA}/convert.ts`, "return left.isSigned ? right : left;", "return left.isSigned ? left : right;"],
  ["unsigned-less-is-signed", "< of unsigned ints compares signed", `${SEMA}/operators.ts`, "comparison(Op.SLT, Op.ULT, Op.FLT)", "comparison(Op.SLT, Op.SLT, Op.FLT)"],
  ["unsigned-shift-arithmetic", ">> of unsigned ints fills with the sign", `${SEMA}/operators.ts`, "elementOf(type).isSigned ? Op.ASHR : Op.LSHR", "Op.ASHR"],
  ["uchar-sign-extended", "unsigned ints are widened with their sign", `${SEMA}/convert.ts`, "a.isSigned ? Op.SEXT : Op.ZEXT, irType", "Op.SEXT, irType"],
  ["vector-truth-is-one", "comparisons of vectors give 1", `${SEMA}/convert.ts`, 'type.kind === "vector" ? Op.SEXT : Op.ZEXT', "Op.ZEXT"],
  ["vector-condition-any-bit", "?: of vectors looks at all bits", `${SEMA}/operators.ts`, "unit.op(Op.SLT, withLanesOf(I1, type.ir)", "unit.op(Op.NE, withLanesOf(I1, type.ir)"],
  ["continue-skips-step", "continue in a for loop skips its last expression", `${SEMA}/statements.ts`, "withTargets(unit, end, step,", "withTargets(unit, end, end,"],
];

const PASS_ROWS: readonly Row[] = [
  ["x-minus-x-is-one", "x - x is not zero", `${PASSES}/simplify-rules.ts`, "if (left === right) return constantZero(instruction.type);", "if (left === right) return constantInt(instruction.type, 1);"],
  ["not-less-is-greater", "not (a < b) is a > b", "modules/ir/source/comparisons.ts", "[Op.SLT]: Op.SGE", "[Op.SLT]: Op.SGT"],
  ["remainder-mask-short", "x % 2^n keeps a bit too many", `${PASSES}/simplify-rules.ts`, "2 ** power - 1)", "2 ** (power + 1) - 1)"],
  ["address-offset-lost", "an address from an address loses the inner offset", `${PASSES}/simplify-rules.ts`, "instruction.scale = inner.scale;\n    instruction.offset += inner.offset;", "instruction.scale = inner.scale;"],
  ["select-constant-swapped", "select by a constant gives the other arm", `${PASSES}/simplify-rules.ts`, "condition.low !== 0 ? yes : no", "condition.low !== 0 ? no : yes"],
  ["trunc-of-any-width", "cutting what was widened gives its lowest type", `${PASSES}/simplify-rules.ts`, "if (root.type === instruction.type) return root;", "if (root.type.text !== \"\") return root;"],
  ["gvn-ignores-types", "equal operands are enough, whatever the type", `${PASSES}/equal-computations.ts`, "a.type !== b.type ||\n", ""],
  ["gvn-ignores-lanes", "shuffles of the same vectors are the same, whatever lanes they pick", `${PASSES}/equal-computations.ts`, "a.lanes.length !== b.lanes.length || a.lanes.some((lane, i) => lane !== b.lanes[i])", "a.lanes.length !== b.lanes.length"],
  ["gvn-ignores-scale", "addresses with other offsets are the same", `${PASSES}/equal-computations.ts`, "a.offset !== b.offset ||\n", ""],
  ["load-over-store", "a store forgets nothing of what loads gave", `${PASSES}/available-loads.ts`, "this.clobber(instruction);\n    const", "const"],
  ["load-over-loop", "writes on the way round a loop are forgotten", `${PASSES}/available-loads.ts`, "for (const write of this.writes[next.mark] ?? []) found.push(write);", ""],
  ["pieces-never-meet", "accesses at different offsets never overlap", `${PASSES}/alias-analysis.ts`, "return a + left.bytes <= b || b + right.bytes <= a;", "return a !== b;"],
  ["join-takes-first-way", "a variable at a join has the value from before the ways parted", `${PASSES}/ssa-construction.ts`, "if (site.isJoin) return this.parameterOf(site, variable);", ""],
  ["diamond-arms-swapped", "selects made of branches take the wrong arm", `${PASSES}/simplify-cfg.ts`, "listOf<Value>(condition, a, b), terminator", "listOf<Value>(condition, b, a), terminator"],
  ["dead-store-through-parameter", "stores to variables whose address a block takes are dead", `${PASSES}/dce.ts`, "for (const value of successorArguments[edge] as Value[]) read(value);", "void edge;"],
];

const VECZ_ROWS: readonly Row[] = [
  ["mask-forgotten", "contiguous stores of scalars write lanes that are off", `${VECZ}/memory.ts`, "if (mask === null) make(builder, Op.STORE", "if (mask === null || lanes === 1) make(builder, Op.STORE"],
  ["else-not-inverted", "lanes that take the first way take the second too", `${VECZ}/divergent-branch.ts`, "blockArguments.and(mask, blockArguments.not(vector))]", "blockArguments.and(mask, vector)]"],
  ["stride-one-more", "addresses go up by a byte more for each step of their index", `${VECZ}/shape.ts`, "index * instruction.scale * spread)", "index * (instruction.scale + 1) * spread)"],
  ["live-out-of-last-iteration", "lanes that have left a loop go on with what the last one has", `${VECZ}/divergent-loop.ts`, "return this.keptFrom(values, isFirst, held());", "const old = held();\n      return this.keptFrom(values, isFirst, isEnd && now !== undefined ? now : old);"],
  ["test-forgets-last-lane", "the test of a vector looks at all lanes but the last", `${VECZ}/assumption-test.ts`, "const span = stride * (this.frame.width - 1);", "const span = stride * (this.frame.width - 2);"],
  ["default-takes-all", "the default of a switch takes the lanes of its cases too", `${VECZ}/divergent-branch.ts`, "const others = any === null ? mask : blockArguments.and(mask, blockArguments.not(any));", "const others = mask;"],
  ["join-stays-uniform", "what lanes bring along different ways is taken for the same", `${VECZ}/divergence.ts`, "if (this.joins.has(block) && !isOne && shape !== undefined) shape = VARYING;", ""],
  ["sums-keep-low-zeros", "a sum has as many low zero bits as the better of its parts", `${VECZ}/shape.ts`, "return Math.min(of(left), of(right));", "return Math.max(of(left), of(right));"],
  ["first-entry-always", "a loop with two entries is entered at the first", `${VECZ}/reducible.ts`, "[constantInt(I32, which), ", "[constantInt(I32, 0), "],
];

const LOWERING: readonly Row[] = [
  ["live-value-lost", "values are not kept across every other barrier", `${LOWER}/barriers/outline-region.ts`, "if (next !== 0)\n", "if (next !== 0 && (next & 1) === 0)\n"],
  ["address-of-live-value", "variables whose address is taken do not stay in the spill frame", `${LOWER}/barriers/spill-slots.ts`, "if (!isPlain) found.add(value);", "void isPlain;"],
  ["ragged-group-full", "the last group is as large as the others", `${LOWER}/loops/group-loop.ts`, "known?.uniformGroups === true\n", "known !== undefined\n"],
  ["mul-hi-unsigned", "the high half of a signed 64-bit product is the unsigned one", `${LOWER}/passes/expand-libcalls.ts`, '"__muxkit_mul_hi_s"', '"__muxkit_mul_hi_u"'],
  ["offset-of-other-axis", "the global id has the offset of x in each dimension", `${LOWER}/loops/group-loop.ts`, 'builder.same(Op.ADD, start, values.get("offset", axis))', 'builder.same(Op.ADD, start, values.get("offset", 0))'],
];

const WASM_ROWS: readonly Row[] = [
  ["narrow-shift-mask", "amounts for 8 and 16 bits count modulo 32", `${WASM}/scalars.ts`, "if (narrow) {\n        code.i32(type.bits - 1);", "if (narrow) {\n        code.i32(31);"],
  ["narrow-clz", "clz of 8 and 16 bits counts the bits above", `${WASM}/scalars.ts`, "if (isNarrow(type) && op === Op.CLZ) {", "if (false) {"],
  ["sext-as-zext", "signs are not extended", `${WASM}/scalars.ts`, "extendSign(emitter, from);\n      if (b === Wasm.TYPE_I64) code.op(0xac);", "if (b === Wasm.TYPE_I64) code.op(0xad);"],
  ["vector-select-swapped", "select of vectors by a mask takes the other arm", `${WASM}/vectors.ts`, "code.simd(emitter.uses(\"relaxed-simd\") ? (Simd.LANE_SELECT[bytes] ?? 0) : Simd.BITSELECT);", "code.simd(Simd.V128_NOT);\n      code.simd(emitter.uses(\"relaxed-simd\") ? (Simd.LANE_SELECT[bytes] ?? 0) : Simd.BITSELECT);"],
  ["mask-half-twice", "masks that are narrowed have their first half twice", `${WASM}/masks.ts`, "pushConverted(code, mask, bytes * 2, part * 2 + 1);", "pushConverted(code, mask, bytes * 2, part * 2);"],
  ["store-four-lanes", "a store of three lanes writes four", `${WASM}/memory.ts`, "return Math.min(perPart, type.count - part * perPart) * laneBytes(scalar);", "return Math.min(perPart, ((type.count + 1) & ~1) - part * perPart) * laneBytes(scalar);"],
  ["simd-sle-unsigned", "<= of 16-bit lanes is unsigned", `${WASM}/simd.table.ts`, "[Op.SLE]: [0x29, 0x33,", "[Op.SLE]: [0x29, 0x34,"],
  ["float-to-narrow-unclamped", "floats become 8 and 16 bits without saturation", `${WASM}/scalars.ts`, "if (isWide || to.bits === 32) return;", "if (isWide || to.bits === 32) return;\n  if (to.bits === 16) return cut(emitter, to);"],
  ["fmin-forgets-nan", "fmin of vectors takes numbers for NaNs", `${WASM}/part-ops.ts`, "code.simd(notEqual);", "code.simd(equal);"],
  ["multi-part-select", "parts of wide vectors behind the second are the second", `${WASM}/lanes.ts`, "emitter.push(value, Math.floor(lane / perPart));", "emitter.push(value, Math.min(1, Math.floor(lane / perPart)));"],
];

const X64_ROWS: readonly Row[] = [
  ["x64-less-unsigned", "< of signed ints takes the condition of unsigned ones", `${X64}/scalar-ops.ts`, "[Op.SLT]: CONDITION.l,", "[Op.SLT]: CONDITION.b,"],
  ["x64-not-less-strict", ">= of unsigned ints is >", `${X64}/scalar-ops.ts`, "[Op.UGE]: CONDITION.ae,", "[Op.UGE]: CONDITION.a,"],
  ["x64-smin-greater", "the lesser of two ints is the greater", `${X64}/scalar-ops.ts`, "[Op.SMIN]: CONDITION.g,", "[Op.SMIN]: CONDITION.l,"],
  ["x64-shift-unextended", "arithmetic shifts of 8 and 16 bits fill with zeros", `${X64}/scalar-ops.ts`, "const value = bits < 32 ? s.extended(a, bits, op === Op.ASHR) : a;\n  return build.emit(general(op === Op.ASHR ? \"sarx", "const value = bits < 32 ? s.extended(a, bits, false) : a;\n  return build.emit(general(op === Op.ASHR ? \"sarx"],
  ["x64-divisor-unextended", "divisors of 8 and 16 bits keep what is above them", `${X64}/scalar-ops.ts`, "const y = own < 32 ? s.extended(b, own, isSigned) : b;", "const y = b;"],
  ["x64-less-equal-unswapped", "<= of floats compares in the wrong order", `${X64}/scalar-ops.ts`, "const isSwapped = op === Op.FLT || op === Op.FLE;", "const isSwapped = op === Op.FLT;"],
  ["x64-swaps-all", "constants on the left change places also where the order matters", `${X64}/scalar-ops.ts`, "if (b !== undefined && hasEffect(op, \"m\") && (a.kind", "if (b !== undefined && op !== Op.FDIV && (a.kind"],
  ["x64-select-swapped", "selections of ints take the other arm", `${X64}/scalar-ops.ts`, "s.define(instruction, [move(s, widthOf(type), b, a, flags)]);", "s.define(instruction, [move(s, widthOf(type), a, b, flags)]);"],
  ["x64-parity-inverted", "equal floats are those that are no numbers", `${X64}/macros.ts`, "isEqual ? 0xb : 0xa", "isEqual ? 0xa : 0xb"],
  ["x64-part-offset", "the third part of a vector is read from the place of the second", `${X64}/memory.ts`, "offset += width;", "offset = width;"],
  ["x64-store-rounded-up", "a store of three lanes writes four", `${X64}/memory.ts`, "Math.min(16, bytes - chunk * 16)", "Math.min(16, ((bytes + 7) & ~7) - chunk * 16)"],
  ["x64-scatter-lane", "a scatter takes the addresses of the first two lanes for the next two", `${X64}/scatters.ts`, "lane & 3, 4);\n    for (let k = 0;", "lane & 1, 4);\n    for (let k = 0;"],
  ["x64-widened-half", "the upper half of what is widened is the lower one", `${X64}/lane-widths.ts`, "(s.tier.partBytes * part) / factor, own)", "(s.tier.partBytes * (part & ~1)) / factor, own)"],
  ["x64-picked-bytes", "shuffles pick from the first eight bytes of each chunk", `${X64}/pick-bytes.ts`, "pick & 15 : 0x80", "pick & 7 : 0x80"],
  ["x64-unsigned-to-float", "unsigned ints become floats as signed ones", `${X64}/convert.ts`, "if (isSigned) return build.emit(form(`vcvtsi2${ss} x, x, r32/m32`), [zero, value]);", "if (bits === 32) return build.emit(form(`vcvtsi2${ss} x, x, r32/m32`), [zero, value]);"],
  ["x64-sext-as-zext", "8 and 16 bits are widened without their sign", `${X64}/convert.ts`, "const wide = fromBits < 32 ? s.extended(value, fromBits, true) : value;", "const wide = fromBits < 32 ? s.extended(value, fromBits, false) : value;"],
  ["x64-ult-signed", "< of unsigned lanes compares signed ones", `${X64}/vector-ops.ts`, "return compareGreater(s, b, a, bytes, op === Op.SLT);", "return compareGreater(s, b, a, bytes, true);"],
  ["x64-zero-by-xor", "a constant 0 between a comparison and its branch changes the flags", `${X64}/encode.ts`, "if (high === 0) assembler.emit(MOV_I32, register, low);", "if (high === 0 && low === 0) assembler.emit(form(\"xor r32, r32/m32\"), register, register);\n    else if (high === 0) assembler.emit(MOV_I32, register, low);"],
  ["x64-branch-not-inverted", "a branch whose first way follows jumps there under the same condition", `${X64}/encode.ts`, "assembler.jumpIf(immediate ^ 1,", "assembler.jumpIf(immediate,"],
  ["x64-copy-half", "copies of vectors lose the upper half", `${X64}/encode.ts`, "width === 32 ? MOVE_Y : MOVE_X, target - 16, source - 16", "MOVE_X, target - 16, source - 16"],
  ["x64-parameter-unstored", "parameters of blocks that were spilled are not written to their place", `${X64}/assign.ts`, "for (const parameter of block.parameters) if (this.where[parameter] !== FREE) this.storeIfSpilled(parameter);\n", ""],
  ["x64-slots-overlap", "places of spilled vectors have half their size", `${X64}/assign.ts`, "slotBytes(fn.classOf[value] as number, fn.width[value] as number)", "slotBytes(fn.classOf[value] as number, 16)"],
  ["x64-clobbers-of-callees", "callers do not know what the callees of their callees write", `${X64}/allocate.ts`, "as Uint8Array) written[register] = 1;", "as Uint8Array) written[register] = 0;"],
  ["x64-move-order", "moves on an edge overwrite what later ones read", `${X64}/parallel-move.ts`, "if (this.readers[targets[i] as number] === 0) ready.push(i);", "if ((this.readers[targets[i] as number] as number) < 2) ready.push(i);"],
  ["x64-constants-first", "constants are made before the moves on an edge, in registers that these read", `${X64}/assign.ts`, "moves.write(code);\n    for (let i = 0; i < remade.length; i += 3)\n      this.remake(remade[i] as number, remade[i + 1] as number, remade[i + 2] as number, code);", "for (let i = 0; i < remade.length; i += 3)\n      this.remake(remade[i] as number, remade[i + 1] as number, remade[i + 2] as number, code);\n    moves.write(code);"],
  ["x64-hint-of-clobbered", "values stay in registers that a call loses", `${X64}/assign.ts`, "if (this.overwritten[register] === 1) return false;\n", ""],
  ["x64-lost-reload", "what was spilled is not read again where it is needed", `${X64}/assign.ts`, "this.restore(value, this.where[value] as number, this.output);\n", ""],
  ["x64-multiply-add-order", "constants that are added to a product are multiplied by", `${X64}/multiply-add.ts`, "return made(\"213\", a, b, c);", "return made(\"231\", a, b, c);"],
  ["x64-retied-form", "a factor that dies takes the place of the sum, and is added to", `${X64}/retie.ts`, "WITH_MIDDLE[adds231] = adds132;", "WITH_MIDDLE[adds231] = adds231;"],
  ["x64-shift-as-address", "a shift of a copy by an address is one bit short", `${X64}/encode.ts`, "assembler.flat(NONE, 0, source, amount);", "assembler.flat(NONE, 0, source, amount - 1);"],
];

const PTX_ROWS: readonly Row[] = [
  ["ptx-less-signed", "< of unsigned ints compares signed ones", `${PTX}/integers.ts`, "[Op.ULT, [\"lt\", \"u\"]]", "[Op.ULT, [\"lt\", \"s\"]]"],
  ["ptx-shift-unmasked", "shifts do not take their amount modulo the width", `${PTX}/integers.ts`, "return code.into(\"b32\", \"and.b32\", narrow, String(bits - 1));", "return narrow;"],
  ["ptx-division-by-zero", "a division by zero is what the machine gives", `${PTX}/integers.ts`, "if (isNonZero) return quotient;", "if (isNonZero || bits > 0) return quotient;"],
  ["ptx-narrow-overflow", "sums of 8 and 16 bits keep what is above them", `${PTX}/integers.ts`, "return overflows ? truncated(code, made, bits) : made;", "return made;"],
  ["ptx-narrow-sign", "the lesser of narrow ints is found without their signs", `${PTX}/integers.ts`, "new Set([Op.SMIN, Op.SMAX])", "new Set([Op.SMAX])"],
  ["ptx-narrow-clz", "clz of 8 and 16 bits counts the bits above", `${PTX}/integers.ts`, "bits < 32 ? code.into(\"b32\", \"sub.s32\", count, String(32 - bits)) : widen(count)", "widen(count)"],
  ["ptx-high-product-unsigned", "the high half of a signed product is the unsigned one", `${PTX}/integers.ts`, "const kind = op === Op.SMULH ? \"s\" : \"u\";", "const kind = op === Op.SMULH && bits < 32 ? \"s\" : \"u\";"],
  ["ptx-not-equal-ordered", "!= of floats is false with a NaN", `${PTX}/floats.ts`, "[Op.FNE, \"neu\"]", "[Op.FNE, \"ne\"]"],
  ["ptx-nan-to-int", "a NaN becomes the int that the machine gives", `${PTX}/conversions.ts`, "const isZeroForNan = bits === 32 && from !== 64;", "const isZeroForNan = bits > 0;"],
  ["ptx-float-unclamped", "floats become 8 and 16 bits without saturation", `${PTX}/conversions.ts`, "const bounded = clamped(code, number, to, isSigned);", "const bounded = number;"],
  ["ptx-offset-lost", "constant offsets of accesses are lost", `${PTX}/memory.ts`, "const total = offset + more;", "const total = more;"],
  ["ptx-too-wide", "lanes are accessed together whatever their alignment", `${PTX}/memory.ts`, "lanes * bytes <= Math.min(alignment, WIDEST)", "lanes * bytes <= WIDEST"],
  ["ptx-case-takes-default", "cases of a switch bring along what the default does", `${PTX}/function.ts`, "edges.push([label, i + 1]);", "edges.push([label, 0]);"],
  ["ptx-select-swapped", "select takes the other arm", `${PTX}/vector-lanes.ts`, "`selp.${registerClass}`, yes, no, condition", "`selp.${registerClass}`, no, yes, condition"],
  ["ptx-global-offset", "ids are without the offset of the launch", `${PTX}/work-item-queries.ts`, "return code.into(\"b64\", \"add.s64\", id, this.field(\"globalOffset\", axis));", "return id;"],
  ["ptx-barrier-of-warp", "barriers of work-groups wait for the warp alone", `${PTX}/group-operations.ts`, "else code.emit(\"barrier.sync\", \"0\");", "else code.emit(\"bar.warp.sync\", ALL_LANES);"],
  ["ptx-atomic-max-unsigned", "the atomic maximum of signed ints is the unsigned one", `${PTX}/atomics.ts`, "smax: [\"max\", \"s\"]", "smax: [\"max\", \"u\"]"],
  ["ptx-atomic-sub-adds", "atomic differences are sums", `${PTX}/atomics.ts`, "kind === \"sub\"\n      ?", "kind === \"exchange\"\n      ?"],
];

const rows = (area: Mutant["area"], list: readonly Row[]): readonly Mutant[] => list.map(([name, doc, file, from, to]) => ({ name, doc, area, file, from, to }));

/** The wrong rewrites. */
export const MUTANTS: readonly Mutant[] = [...rows("front end", FRONT_END), ...rows("passes", PASS_ROWS), ...rows("vecz", VECZ_ROWS), ...rows("lowering", LOWERING), ...rows("wasm", WASM_ROWS), ...rows("x64", X64_ROWS), ...rows("ptx", PTX_ROWS)];
