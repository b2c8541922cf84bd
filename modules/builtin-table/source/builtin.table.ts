// SPDX-License-Identifier: Apache-2.0
// The table of OpenCL C's built-in functions, by families of section 6.12. One row a function; the patterns are
// explained in row.ts.
import { InternalError } from "@muxkit/cargo";

import { GROUP_ROWS } from "./group.table.ts";
import { PIPE_ROWS } from "./pipe.table.ts";
import type { BuiltinRow, ShortRow as Short } from "./row.ts";

const VARYING: Partial<BuiltinRow> = { uniformity: "varying" };
const UNIFORM: Partial<BuiltinRow> = { uniformity: "uniform" };
const MEMORY: Partial<BuiltinRow> = { isPure: false };
const SYNC: Partial<BuiltinRow> = { isPure: false, isConvergent: true };
const V1_1: Partial<BuiltinRow> = { since: 110 };
const V1_2: Partial<BuiltinRow> = { since: 120 };
const V2: Partial<BuiltinRow> = { since: 200 };
const LONG_BASE: Partial<BuiltinRow> = { needs: ["cl_khr_int64_base_atomics"] };
const LONG_EXTENDED: Partial<BuiltinRow> = { needs: ["cl_khr_int64_extended_atomics"] };
const DOT: Partial<BuiltinRow> = { needs: ["cl_khr_integer_dot_product"] };
/**
 * Functions of device-side enqueue, which a CPU target without a compiler in the kernel does not have: their names are
 * in the table so that a program that uses them gets a clear error.
 */
const ENQUEUE: Partial<BuiltinRow> = { ...MEMORY, ...V2, needs: ["__opencl_c_device_enqueue"] };

/** Operations on atomic types that have a variant with an order. */
const ATOMIC_NAMES: readonly string[] = [
  "store", "load", "exchange", "compare_exchange_strong", "compare_exchange_weak", ...["add", "sub", "or", "xor", "and", "min", "max"].map((key) => `fetch_${key}`), "flag_test_and_set", "flag_clear",
];

const IMAGE = { isPure: false, needs: ["__opencl_c_images"] } as const;
const IMAGE_HALF: Partial<BuiltinRow> = { ...IMAGE, needs: [...IMAGE.needs, "cl_khr_fp16"] };
const IMAGE_3D = { isPure: false, needs: [...IMAGE.needs, "cl_khr_3d_image_writes"] } as const;
const IMAGE_QUERY: Partial<BuiltinRow> = { ...UNIFORM, needs: IMAGE.needs };

/**
 * Coordinates of an image type: as ints and, where a sampler may read it, as floats; what a depth image yields is one
 * float.
 */
const IMAGES: readonly (readonly [type: string, ints: string, floats: string | null, isDepth: boolean])[] = [
  ["image1d_t", "int", "float", false],
  ["image1d_array_t", "int2", "float2", false],
  ["image1d_buffer_t", "int", null, false],
  ["image2d_t", "int2", "float2", false],
  ["image2d_array_t", "int4", "float4", false],
  ["image3d_t", "int4", "float4", false],
  ["image2d_depth_t", "int2", "float2", true],
  ["image2d_array_depth_t", "int4", "float4", true],
];

/** The overloads of a read: with a sampler by ints and floats, and without one. */
function reads(element: string): string {
  return IMAGES.filter(([, , , isDepth]) => !isDepth || element === "float").flatMap(([type, ints, floats, isDepth]) => {
    const result = isDepth ? element : `${element}4`;
    const sampled = floats === null ? [] : [`${result}(s:${type}, sampler_t, ${ints})`, `${result}(s:${type}, sampler_t, ${floats})`];
    return [...sampled, `${result}(f:${type}, ${ints})`];
  }).join("; ");
}

/** Image types that every device with images writes, and those that take an extension. */
const FLAT = /[12]d/u;
const SOLID = /3d/u;

/** The overloads of a write to the image types whose names match. */
function writes(element: string, types: RegExp): string {
  return IMAGES.filter(([type, , , isDepth]) => types.test(type) && (!isDepth || element === "float")).map(([type, ints, , isDepth]) => `void(w:${type}, ${ints}, ${isDepth ? element : `${element}4`})`).join("; ");
}

/** The overloads of a query of the image types whose names match. */
function queries(result: string, types: RegExp): string {
  return IMAGES.filter(([type]) => types.test(type)).map(([type]) => `${result}(q:${type})`).join("; ");
}

/** Several names share a row when nothing else differs; `=` in a lowering is replaced by the name. */
const ROWS: readonly Short[] = [
  // 6.12.1 work-item functions
  ["get_work_dim", "uint()", "", "work-item:work_dim", UNIFORM],
  ["get_global_id", "size_t(uint)", "", "work-item:global_id", VARYING],
  ["get_local_id", "size_t(uint)", "", "work-item:local_id", VARYING],
  ["get_global_size", "size_t(uint)", "", "work-item:global_size", UNIFORM],
  ["get_global_offset", "size_t(uint)", "", "work-item:global_offset", { ...UNIFORM, ...V1_1 }],
  ["get_local_size", "size_t(uint)", "", "work-item:local_size", UNIFORM],
  ["get_enqueued_local_size", "size_t(uint)", "", "work-item:enqueued_local_size", { ...UNIFORM, ...V2 }],
  ["get_group_id", "size_t(uint)", "", "work-item:group_id", UNIFORM],
  ["get_num_groups", "size_t(uint)", "", "work-item:num_groups", UNIFORM],
  ["get_global_linear_id", "size_t()", "", "work-item:global_linear_id", { ...VARYING, ...V2 }],
  ["get_local_linear_id", "size_t()", "", "work-item:local_linear_id", { ...VARYING, ...V2 }],
  // 6.12.8 synchronisation
  ["barrier", "void(uint)", "", "barrier", SYNC],
  ["work_group_barrier", "void(uint); void(uint, int)", "", "barrier", { ...SYNC, ...V2 }],
  ["mem_fence read_mem_fence write_mem_fence", "void(uint)", "", "fence", MEMORY],
  ...GROUP_ROWS,
  ...PIPE_ROWS,
  // 6.12.2 math: what the IR has as operations
  ["fabs", "T(T)", "fh", "op:fabs"],
  ["ceil", "T(T)", "fh", "op:fceil"],
  ["floor", "T(T)", "fh", "op:ffloor"],
  ["trunc", "T(T)", "fh", "op:ftrunc"],
  ["rint", "T(T)", "fh", "op:frint"],
  ["sqrt", "T(T)", "fh", "op:fsqrt"],
  ["native_sqrt half_sqrt", "T(T)", "g", "op:fsqrt"],
  ["fma", "T(T, T, T)", "fh", "op:fma"],
  ["mad", "T(T, T, T)", "fh", "mad"],
  ["fmin", "T(T, T); T(T, S)", "fh", "op:fmin"],
  ["fmax", "T(T, T); T(T, S)", "fh", "op:fmax"],
  ["fmod", "T(T, T)", "fh", "op:frem"],
  ["copysign", "T(T, T)", "fh", "op:fcopysign"],
  ["native_divide half_divide", "T(T, T)", "g", "op:fdiv"],
  ["native_recip half_recip", "T(T)", "g", "reciprocal"],
  ["rsqrt", "T(T)", "fh", "reciprocal-root"],
  ["half_rsqrt", "T(T)", "g", "reciprocal-root"],
  // 6.12.2 math: the library
  ["acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt cos cosh cospi erf erfc exp exp2 exp10 expm1 lgamma log log2 log10 log1p logb round sin sinh sinpi tan tanh tanpi tgamma", "T(T)", "fh", "library"],
  ["half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_sin half_tan", "T(T)", "g", "library:5"],
  ["native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_rsqrt native_sin native_tan", "T(T)", "g", "library"],
  ["atan2 atan2pi fdim hypot pow powr remainder", "T(T, T)", "fh", "library"],
  ["maxmag minmag", "T(T, T)", "fh", "library", V1_1],
  ["nextafter", "T(T, T)", "fh", "library-own"],
  ["half_powr", "T(T, T)", "g", "library:5"],
  ["native_powr", "T(T, T)", "g", "library"],
  ["pown rootn", "T(T, N)", "fh", "library"],
  ["ldexp", "T(T, N); T(T, int)", "fh", "library"],
  ["ilogb", "N(T)", "fh", "library"],
  ["nan", "T(U)", "fh", "library-own"],
  ["fract", "T(T, *T)", "f", "library-pointer", MEMORY],
  ["fract", "T(T, *T)", "h", "library-pointer:own", MEMORY],
  ["modf sincos", "T(T, *T)", "fh", "library-pointer", MEMORY],
  ["frexp lgamma_r", "T(T, *N)", "fh", "library-pointer", MEMORY],
  ["remquo", "T(T, T, *N)", "fh", "library-pointer", MEMORY],
  // 6.12.3 integer functions
  ["abs", "U(T)", "i", "integer:abs"],
  ["abs_diff", "U(T, T)", "i", "integer:abs_diff"],
  ["add_sat", "T(T, T)", "i", "integer:add_sat"],
  ["sub_sat", "T(T, T)", "i", "integer:sub_sat"],
  ["hadd", "T(T, T)", "i", "integer:hadd"],
  ["rhadd", "T(T, T)", "i", "integer:rhadd"],
  ["clz", "T(T)", "i", "op:clz"],
  ["ctz", "T(T)", "i", "op:ctz", V2],
  ["popcount", "T(T)", "i", "op:popcount", V1_2],
  ["mad_hi", "T(T, T, T)", "i", "integer:mad_hi"],
  ["mul_hi", "T(T, T)", "i", "integer:mul_hi"],
  ["mad_sat", "T(T, T, T)", "i", "library"],
  ["rotate", "T(T, T)", "i", "op:rotl"],
  ["mul24", "T(T, T)", "w", "integer:mul24"],
  ["mad24", "T(T, T, T)", "w", "integer:mad24"],
  ["upsample", "W(T, U)", "n", "integer:upsample"],
  // integer and common: clamp, min, max
  ["clamp", "T(T, T, T); T(T, S, S)", "ifh", "clamp"],
  ["max", "T(T, T); T(T, S)", "ifh", "maximum"],
  ["min", "T(T, T); T(T, S)", "ifh", "minimum"],
  // 6.12.4 common functions
  ["degrees radians sign", "T(T)", "fh", "library"],
  ["mix", "T(T, T, T); T(T, T, S)", "fh", "common:mix"],
  ["step", "T(T, T); T(S, T)", "fh", "library"],
  ["smoothstep", "T(T, T, T); T(S, S, T)", "fh", "library"],
  // 6.12.5 geometric functions
  ["dot", "S(T, T)", "fhy", "geometric:dot"],
  ["cross", "T(T, T)", "fhx", "geometric:cross"],
  // cl_khr_integer_dot_product
  ["dot", "uint(uchar4, uchar4); int(char4, char4); int(uchar4, char4); int(char4, uchar4)", "", "library-whole", DOT],
  ["dot_acc_sat", "uint(uchar4, uchar4, uint); int(char4, char4, int); int(uchar4, char4, int); int(char4, uchar4, int)", "", "library-whole", DOT],
  ["dot_4x8packed_uu_uint", "uint(uint, uint)", "", "library-whole", DOT],
  ["dot_4x8packed_ss_int dot_4x8packed_us_int dot_4x8packed_su_int", "int(uint, uint)", "", "library-whole", DOT],
  ["dot_acc_sat_4x8packed_uu_uint", "uint(uint, uint, uint)", "", "library-whole", DOT],
  ["dot_acc_sat_4x8packed_ss_int dot_acc_sat_4x8packed_us_int dot_acc_sat_4x8packed_su_int", "int(uint, uint, int)", "", "library-whole", DOT],
  ["length", "S(T)", "fhy", "geometric:length"],
  ["fast_length", "S(T)", "gy", "geometric:fast_length"],
  ["distance", "S(T, T)", "fhy", "geometric:distance"],
  ["fast_distance", "S(T, T)", "gy", "geometric:fast_distance"],
  ["normalize", "T(T)", "fhy", "geometric:normalize"],
  ["fast_normalize", "T(T)", "gy", "geometric:fast_normalize"],
  // 6.12.6 relational functions
  ["isequal", "C(T, T)", "fh", "compare:feq"],
  ["isnotequal", "C(T, T)", "fh", "compare:fne"],
  ["isgreater", "C(T, T)", "fh", "compare:fgt"],
  ["isgreaterequal", "C(T, T)", "fh", "compare:fge"],
  ["isless", "C(T, T)", "fh", "compare:flt"],
  ["islessequal", "C(T, T)", "fh", "compare:fle"],
  ["islessgreater isordered isunordered", "C(T, T)", "fh", "relational:="],
  ["isfinite isinf isnan isnormal signbit", "C(T)", "fh", "relational:="],
  ["any all", "int(T)", "s", "relational:="],
  ["bitselect", "T(T, T, T)", "ifh", "bitselect"],
  ["select", "T(T, T, I); T(T, T, U)", "ifh", "select"],
  // 6.12.7 vector loads and stores
  ...[2, 3, 4, 8, 16].flatMap((n): Short[] => [
    [`vload${n}`, `S${n}(size_t, ^S)`, "ifhc", `vload:${n}`, MEMORY],
    [`vstore${n}`, `void(S${n}, size_t, *S)`, "ifhc", `vstore:${n}`, MEMORY],
    [`vload_half${n} vloada_half${n}`, `float${n}(size_t, ^half)`, "", "vload_half:=", MEMORY],
    ...["", "_rte", "_rtz", "_rtp", "_rtn"].map((mode): Short => [`vstore_half${n}${mode} vstorea_half${n}${mode}`, `void(float${n}, size_t, *half); void(double${n}, size_t, *half)`, "", "vstore_half:=", MEMORY]),
  ]),
  ["vload_half vloada_half", "float(size_t, ^half)", "", "vload_half:=", MEMORY],
  ...["", "_rte", "_rtz", "_rtp", "_rtn"].map((mode): Short => [`vstore_half${mode} vstorea_half${mode}`, "void(float, size_t, *half); void(double, size_t, *half)", "", "vstore_half:=", MEMORY]),
  // 6.12.11 atomic functions
  // 64-bit ones belong to two extensions, which define the names of OpenCL C 1.0 only (cl_khr_int64_*_atomics).
  ...(
    [["atomic", "wc", V1_1, V1_1], ["atom", "wc", {}, {}], ["atom", "lc", LONG_BASE, LONG_EXTENDED]] as const
  ).flatMap(([prefix, classes, base, extended]): Short[] => [
    ...["add", "sub", "xchg"].map((kind): Short => [`${prefix}_${kind}`, "S(*S, S)", classes, `atomic:${kind}`, { ...MEMORY, ...base }]),
    ...["inc", "dec"].map((kind): Short => [`${prefix}_${kind}`, "S(*S)", classes, `atomic:${kind}`, { ...MEMORY, ...base }]),
    [`${prefix}_cmpxchg`, "S(*S, S, S)", classes, "atomic:cmpxchg", { ...MEMORY, ...base }],
    ...["and", "or", "xor", "min", "max"].map((kind): Short => [`${prefix}_${kind}`, "S(*S, S)", classes, `atomic:${kind}`, { ...MEMORY, ...extended }]),
  ]),
  ["atomic_xchg", "float(*float, float)", "", "atomic:xchg", { ...MEMORY, ...V1_1 }],
  ["atom_xchg", "float(*float, float)", "", "atomic:xchg", MEMORY],
  // 6.15.12 (OpenCL C 3.0) atomic functions on atomic types. Without an order they are sequentially consistent, without
  // a scope of the device.
  [ATOMIC_NAMES.map((name) => `atomic_${name}_explicit`).join(" "), "", "", "atomic-function", { ...MEMORY, ...V2 }],
  [ATOMIC_NAMES.map((name) => `atomic_${name}`).join(" "), "", "", "atomic-function", { ...MEMORY, ...V2, needs: ["__opencl_c_atomic_order_seq_cst", "__opencl_c_atomic_scope_device"] }],
  ["atomic_init", "", "", "atomic-function", { ...MEMORY, ...V2 }],
  ["atomic_work_item_fence", "", "", "atomic-fence", { ...MEMORY, ...V2 }],
  // 6.15.10 address space qualifier functions
  ["to_global to_local to_private get_fence", "", "", "address-space", { needs: ["__opencl_c_generic_address_space"] }],
  // 6.12.10 async copies and prefetch
  ["async_work_group_copy", "event_t(*T, ^T, size_t, event_t)", "ifh", "async-copy", SYNC],
  ["async_work_group_strided_copy", "event_t(*T, ^T, size_t, size_t, event_t)", "ifh", "async-copy:strided", { ...SYNC, ...V1_1 }],
  ["async_work_group_copy_2D2D", `event_t(*void, size_t, ^void, ${"size_t, ".repeat(6)}event_t)`, "", "async-copy:2D2D", { ...SYNC, needs: ["cl_khr_extended_async_copies"] }],
  ["async_work_group_copy_3D3D", `event_t(*void, size_t, ^void, ${"size_t, ".repeat(9)}event_t)`, "", "async-copy:3D3D", { ...SYNC, needs: ["cl_khr_extended_async_copies"] }],
  ["wait_group_events", "void(int, *event_t)", "", "wait-events", SYNC],
  ["prefetch", "void(@T, size_t)", "ifh", "nothing", MEMORY],
  // 6.13.17 (OpenCL C 2.0) device-side enqueue
  ["enqueue_kernel enqueue_marker get_default_queue ndrange_1D ndrange_2D ndrange_3D create_user_event retain_event release_event set_user_event_status is_valid_event capture_event_profiling_info", "", "", "nothing", ENQUEUE],
  ["get_kernel_work_group_size get_kernel_preferred_work_group_size_multiple get_kernel_max_sub_group_size_for_ndrange get_kernel_sub_group_count_for_ndrange", "", "", "nothing", ENQUEUE],
  // 6.12.14 image functions
  ["read_imagef", reads("float"), "", "library-whole", IMAGE],
  ["read_imagei", reads("int"), "", "library-whole", IMAGE],
  ["read_imageui", reads("uint"), "", "library-whole", IMAGE],
  ["read_imageh", reads("half"), "", "image-half:=", IMAGE_HALF],
  ["write_imagef", writes("float", FLAT), "", "library-whole", IMAGE],
  ["write_imagei", writes("int", FLAT), "", "library-whole", IMAGE],
  ["write_imageui", writes("uint", FLAT), "", "library-whole", IMAGE],
  ["write_imageh", writes("half", FLAT), "", "image-half:=", IMAGE_HALF],
  ["write_imagef", writes("float", SOLID), "", "library-whole", IMAGE_3D],
  ["write_imagei", writes("int", SOLID), "", "library-whole", IMAGE_3D],
  ["write_imageui", writes("uint", SOLID), "", "library-whole", IMAGE_3D],
  ["write_imageh", writes("half", SOLID), "", "image-half:=", { ...IMAGE_3D, needs: [...IMAGE_3D.needs, "cl_khr_fp16"] }],
  ["get_image_width get_image_channel_data_type get_image_channel_order", queries("int", /./u), "", "library-whole", IMAGE_QUERY],
  ["get_image_height", queries("int", /[23]d/u), "", "library-whole", IMAGE_QUERY],
  ["get_image_depth", queries("int", SOLID), "", "library-whole", IMAGE_QUERY],
  ["get_image_dim", `${queries("int2", /2d/u)}; ${queries("int4", SOLID)}`, "", "library-whole", IMAGE_QUERY],
  ["get_image_array_size", queries("size_t", /array/u), "", "library-whole", IMAGE_QUERY],
  // 6.12.12 miscellaneous vector functions
  ["shuffle", [2, 4, 8, 16].map((n) => `S${n}(T, U${n})`).join("; "), "ifhvz", "shuffle", V1_1],
  ["shuffle2", [2, 4, 8, 16].map((n) => `S${n}(T, T, U${n})`).join("; "), "ifhvz", "shuffle", V1_1],
  // 6.12.13 printf: its arguments are checked against the format
  ["printf", "int(^char, ...)", "", "printf", { isPure: false, uniformity: "varying", since: 120 }],
  ["vec_step", "int(T)", "ifh", "vec_step", V1_1],
  ["__builtin_inff", "float()", "", "constant:inf"],
  ["__builtin_nanf", "float()", "", "constant:nan"],
  ["__builtin_inf", "double()", "", "constant:inf"],
];

function expand([names, patterns, classes, lowering, properties = {}]: Short): BuiltinRow[] {
  return names.split(" ").map((name) => ({
    name,
    patterns: patterns.split("; "),
    classes,
    lowering: lowering.replace("=", name),
    isConvergent: false,
    isPure: true,
    uniformity: "like-inputs",
    since: 100,
    needs: [],
    ...properties,
  }));
}

/** Every built-in function; several rows may share a name. @public */
export const BUILTINS: readonly BuiltinRow[] = ROWS.flatMap(expand);

const BY_NAME = new Map<string, BuiltinRow[]>();

function add(row: BuiltinRow): void {
  const list = BY_NAME.get(row.name);
  if (list === undefined) BY_NAME.set(row.name, [row]);
  else list.push(row);
}

BUILTINS.forEach(add);

/** Rows that were registered, by extension, as text: to tell the same from others. */
const REGISTERED = new Map<string, string>();

/**
 * Adds built-ins of an extension, for programs of devices that have it. Their lowering is `library` or
 * `library-whole`: calls stay calls until they are linked, or the target's code generator sees them. Doing it again
 * with the same rows changes nothing.
 *
 * @throws InternalError where the extension has other rows already, or a lowering is another one
 * @public
 */
export function registerBuiltins(extension: string, rows: readonly Short[]): void {
  const text = JSON.stringify(rows);
  const before = REGISTERED.get(extension);
  if (before === text) return;
  if (before !== undefined)
    throw new InternalError(`the extension ${extension} is registered with other built-ins already`);
  const added = rows.flatMap(expand);
  const wrong = added.find(({ lowering }) => lowering !== "library" && lowering !== "library-whole");
  if (wrong !== undefined)
    throw new InternalError(
      `the lowering of ${wrong.name}, of the extension ${extension}, is "${wrong.lowering}"; it must be library or ` +
        "library-whole",
    );
  REGISTERED.set(extension, text);
  for (const row of added) add({ ...row, needs: [...row.needs, extension] });
}

/**
 * The rows of a name; empty when there is no such built-in. Families (`convert_`, `as_`) are not in the table: see
 * {@link parseFamily}.
 *
 * @public
 */
export function builtinRows(name: string): readonly BuiltinRow[] {
  return BY_NAME.get(name) ?? [];
}

/** Names of all built-ins, for suggestions. @public */
export function builtinNames(): Iterable<string> {
  return BY_NAME.keys();
}

/** A member of a family of built-ins that is described by its name alone. @public */
export interface FamilyMember {
  /** `convert`: to a type; `as`: the same bits. */
  readonly kind: "convert" | "as";
  /** Its OpenCL C return type. */
  readonly type: string;
  /** `_sat`. */
  readonly isSaturated: boolean;
  /** `_rte` …; empty: the default. */
  readonly rounding: "" | "rte" | "rtz" | "rtp" | "rtn";
}

const FAMILY = /^(convert|as)_((?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)?|size_t|ptrdiff_t|u?intptr_t)(_sat)?(?:_(rte|rtz|rtp|rtn))?$/u;

/** Reads a name of the families `convert_T[_sat][_rtX]` and `as_T` (6.2.3, 6.2.4); null: it is none. @public */
export function parseFamily(name: string): FamilyMember | null {
  const match = FAMILY.exec(name);
  if (match === null) return null;
  const [, kind, type = "", saturated, rounding = ""] = match;
  if (kind === "convert" && type.endsWith("_t")) return null;
  if (kind === "as" && (saturated !== undefined || rounding !== "")) return null;
  return { kind: kind === "as" ? "as" : "convert", type, isSaturated: saturated !== undefined, rounding: rounding as FamilyMember["rounding"] };
}
