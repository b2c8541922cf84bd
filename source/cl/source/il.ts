// SPDX-License-Identifier: Apache-2.0
// Programs in SPIR-V, and the values of their specialization constants (OpenCL 3.0, 5.8.1, 5.8.3; cl_khr_il_program).
// The compiler reads the module; here it is only looked at for what the calls have to refuse: the words of its header,
// and the ids and sizes of its specialization constants.
import { OpenCLError, ensure } from "./error.ts";
import { live } from "./object.ts";
import { Context, type Device } from "./platform.ts";
import { Program } from "./program.ts";

const MAGIC = 0x07230203;
const HEADER_WORDS = 5;
/** Minor versions of SPIR-V 1 that the compiler reads. */
const LAST_MINOR = 6;

/** The versions that a device takes; none without a compiler. */
export function ilVersions(device: Device): readonly (readonly [major: number, minor: number, patch: number])[] {
  if (device.compiler() === null) return [];
  return Array.from({ length: LAST_MINOR + 1 }, (_, minor) => [1, LAST_MINOR - minor, 0] as const);
}

/** The words of a module in this machine's order; null: the bytes are no module. */
function wordsOf(il: Uint8Array): Uint32Array | null {
  if (il.length % 4 !== 0 || il.length < HEADER_WORDS * 4) return null;
  const view = new DataView(il.buffer, il.byteOffset, il.length);
  const isLittle = view.getUint32(0, true) === MAGIC;
  if (!isLittle && view.getUint32(0, false) !== MAGIC) return null;
  const words = Uint32Array.from({ length: il.length / 4 }, (_, i) => view.getUint32(i * 4, isLittle));
  const version = words[1] ?? 0;
  return version >>> 16 === 1 && ((version >>> 8) & 0xff) <= LAST_MINOR ? words : null;
}

/** Instructions that the constants follow from, by their opcodes. */
const DECORATE = 71;
const SPEC_ID = 1;
const NUMBER_TYPES: ReadonlySet<number> = new Set([21, 22]);
const SPEC_TRUTHS: ReadonlySet<number> = new Set([48, 49]);
const SPEC_NUMBER = 50;

/** Bytes of each specialization constant of a module, by the id that the host knows it by; a truth value has one. */
function specializationSizes(words: Uint32Array): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  const types = new Map<number, number>();
  const sizes = new Map<number, number>();
  for (let at = HEADER_WORDS; at < words.length;) {
    const first = words[at] ?? 0;
    const opcode = first & 0xffff;
    const [a = 0, b = 0, c = 0] = words.subarray(at + 1, at + 4);
    if (opcode === DECORATE && b === SPEC_ID) numbers.set(a, c);
    else if (NUMBER_TYPES.has(opcode)) types.set(a, b / 8);
    const number = numbers.get(b);
    if (number !== undefined && SPEC_TRUTHS.has(opcode)) sizes.set(number, 1);
    else if (number !== undefined && opcode === SPEC_NUMBER) sizes.set(number, types.get(a) ?? 4);
    if (first >>> 16 === 0) break;
    at += first >>> 16;
  }
  return sizes;
}

/**
 * Makes a program of a SPIR-V module, which is copied. What the compiler does not take of it is an error of the build.
 * Errors: CL_INVALID_CONTEXT, CL_INVALID_OPERATION where no device has a compiler, CL_INVALID_VALUE for bytes that are
 * no module.
 *
 * @public
 */
export function clCreateProgramWithIL(context: Context, il: Uint8Array): Program {
  return create("clCreateProgramWithIL", context, il);
}

/** See {@link clCreateProgramWithIL}: cl_khr_il_program, for OpenCL before 2.1. @public */
export function clCreateProgramWithILKHR(context: Context, il: Uint8Array): Program {
  return create("clCreateProgramWithILKHR", context, il);
}

function create(call: string, context: Context, il: Uint8Array): Program {
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(
    context.devices.some((device) => device.compiler() !== null),
    "CL_INVALID_OPERATION",
    call,
    "no device of the context has a compiler, so none accepts an intermediate language",
  );
  ensure(
    il instanceof Uint8Array && wordsOf(il) !== null,
    "CL_INVALID_VALUE",
    call,
    `the ${il?.length ?? 0} bytes are no SPIR-V module of version 1.0 to 1.${LAST_MINOR}`,
  );
  return new Program(context, "", context.devices, il.slice());
}

/**
 * Sets a specialization constant of a program from clCreateProgramWithIL, for the builds that follow; a truth value is
 * one byte. Errors: CL_INVALID_PROGRAM for another program, CL_INVALID_SPEC_ID for an id that the module does not have,
 * CL_INVALID_VALUE for a value of another size.
 *
 * @public
 */
export function clSetProgramSpecializationConstant(program: Program, id: number, value: ArrayBufferView): void {
  const call = "clSetProgramSpecializationConstant";
  const { il, specialization } = live(program, Program, "CL_INVALID_PROGRAM", call);
  const words = il === null ? null : wordsOf(il);
  if (words === null)
    throw new OpenCLError(
      "CL_INVALID_PROGRAM",
      call,
      "only programs of clCreateProgramWithIL have specialization constants; use -D in the build options",
    );
  const sizes = specializationSizes(words);
  const size = sizes.get(id);
  if (size === undefined) {
    const known = [...sizes.keys()].join(", ");
    throw new OpenCLError(
      "CL_INVALID_SPEC_ID",
      call,
      `the module has no specialization constant ${id}${known === "" ? "" : `; it has ${known}`}`,
    );
  }
  ensure(
    ArrayBuffer.isView(value) && value.byteLength === size,
    "CL_INVALID_VALUE",
    call,
    `the constant ${id} has ${size} bytes, and ${value?.byteLength ?? 0} were passed`,
  );
  specialization.set(id, new Uint8Array(value.buffer, value.byteOffset, size).slice());
}
