// The host's pipeline: a finalized module to an executable, generic or for one launch.
import { alignUp, assert } from "@muxkit/cargo";
import type { KernelReport } from "@muxkit/compiler";
import { type ArgumentKind, type IrFunction, type KernelDescription, type Module, type Type, cloneModule } from "@muxkit/ir";
import { IMAGE_DESCRIPTOR_BYTES } from "@muxkit/libimg";
import { type ArgumentRecord, type ExecutableImage, type KernelRecord, type VariantRecord, writeExecutable } from "@muxkit/metadata";
import { type PassContext, inlineFunctions, linkBuiltins, replacePrintf, runPasses } from "@muxkit/passes";
import type { PrintfDescription } from "@muxkit/printf";
import { generateModule, privateBytes } from "@muxkit/wasm";

import { addCancellation, hasLongLoop } from "./lower/cancellation.ts";
import { HIDDEN_COUNT, type HiddenName, addHiddenParameters, fixHiddenValues, hiddenPosition } from "./lower/context.ts";
import { lowerHalf } from "./lower/half.ts";
import { lowerLocalAtomics } from "./lower/local-atomics.ts";
import { type ProgramLayout, layOutProgram, lowerQueries, placeGlobals, usedLocals } from "./lower/queries.ts";
import { hasMeeting } from "./lower/meetings.ts";
import { type RegionPlan, cutAtBarriers } from "./lower/regions.ts";
import { lowerSoft } from "./lower/soft.ts";
import { SCALAR_PLAN, type VectorizationChoice, knowsNoGroup, planVectors } from "./lower/vector-forms.ts";
import { type Specialization, writeWrapper } from "./lower/wrapper.ts";
import { reportKernel } from "./vector-report.ts";

/** What makes shapes of values plain before vectors are made of them. */
const BEFORE_VECTORS = ["simplify-cfg", "mem2reg", "simplify", "gvn", "simplify-cfg", "dce"];

/** What to build. @public */
export interface BuildRequest {
  /** Finalized module; it is not changed. */
  readonly module: Module;
  /** The library. */
  readonly context: PassContext;
  /** Only this kernel; null: all of them. */
  readonly only: string | null;
  /** For launches like this; null: generic. */
  readonly specialization: Specialization | null;
  /** Features of the engine that the code may use, see `engineFeatures` of the runtime: `relaxed-simd`, `fused-madd`. */
  readonly features: readonly string[];
  /** False for `-cl-opt-disable`. */
  readonly optimize: boolean;
  /** How kernels are vectorised. */
  readonly vectorization: VectorizationChoice;
  /** Hears what became of each kernel; absent: nobody does. */
  readonly report?: (report: KernelReport) => void;
  /** True: every pass is verified. */
  readonly verifyEach: boolean;
}

const CLEAN_UP = ["simplify-cfg", "sroa", "mem2reg", "infer-address-space", "mem2reg", "simplify", "gvn", "loop-rotate", "licm", "simplify-cfg", "simplify", "gvn", "dce", "simplify-cfg"];

/** Bytes that an argument takes among the packed ones: images lie there with their descriptors, everything else but values is a word. */
function packedBytes(kind: ArgumentKind, size: number): number {
  if (kind === "image") return IMAGE_DESCRIPTOR_BYTES;
  return kind === "value" ? size : 4;
}

/** Packed offset of each argument and bytes of all of them. */
function pack(description: KernelDescription): { readonly offsets: readonly number[]; readonly size: number } {
  const offsets: number[] = [];
  let offset = 0;
  for (const argument of description.arguments) {
    const size = packedBytes(argument.kind, argument.size);
    offset = alignUp(offset, argument.kind === "value" ? Math.min(128, argument.alignment) : 4);
    offsets.push(offset);
    offset += size;
  }
  return { offsets, size: alignUp(Math.max(offset, 4), 16) };
}

interface Lowered {
  readonly name: string;
  readonly description: KernelDescription;
  readonly liveBytes: number;
  readonly localBytes: number;
  readonly offsets: readonly number[];
  readonly packedSize: number;
  /** Lanes; 1: work-items run one by one. */
  readonly vectorWidth: number;
  readonly vectorDimension: number;
}

/** Brings in the library functions that kernels call, and those of what the machine lacks. */
function bringLibrary(module: Module, context: PassContext, features: readonly string[], run: (passes: readonly string[]) => void): void {
  run(["global-dce", "image-arg-subst"]);
  replacePrintf(module, context);
  lowerSoft(module, features);
  // Library code may need what the machine lacks too, for which there is library code again.
  do linkBuiltins(module, context);
  while (lowerSoft(module, features));
}

const layouts = new WeakMap<Module, ProgramLayout>();

/** The layout of a finalized module's data. `linked` is the whole module with its library where it is at hand. */
function programLayout(source: Module, linked: Module | null, context: PassContext, features: readonly string[]): ProgramLayout {
  let layout = layouts.get(source);
  if (layout !== undefined) return layout;
  const whole = linked ?? cloneModule(source);
  if (linked === null) bringLibrary(whole, { ...context, printfCall: () => undefined }, features, (passes) => runPasses(whole, passes, context));
  layout = layOutProgram(whole);
  layouts.set(source, layout);
  return layout;
}

/** What a specialisation says of a hidden value; null: nothing. */
function knownValue({ localSize, uniformGroups, zeroOffset }: Specialization, name: HiddenName, axis: number): number | null {
  if (name === "enqueued" || (name === "size" && uniformGroups)) return localSize[axis] ?? null;
  return name === "offset" && zeroOffset ? 0 : null;
}

/** Bytes of the executable. Throws InternalError when a pass is wrong. @public */
export function buildExecutable(request: BuildRequest): Uint8Array {
  const module = cloneModule(request.module);
  const run = (passes: readonly string[]): void => runPasses(module, passes, request.context, { verifyEach: request.verifyEach });
  if (request.only !== null) for (const fn of module.functions.values()) if (fn.kernel !== null && fn.name !== request.only) fn.kernel = null;
  const printfCalls: PrintfDescription[] = [];
  bringLibrary(module, { ...request.context, printfCall: (description) => printfCalls.push(description) }, request.features, run);
  const layout = programLayout(request.module, request.only === null ? module : null, request.context, request.features);
  run(["inline", ...(request.optimize ? CLEAN_UP : ["simplify-cfg", "dce"])]);
  const kernels = module.kernels;
  const locals = new Map(kernels.map((kernel) => [kernel.name, usedLocals(kernel)]));
  const placement = placeGlobals(module, new Set([...locals.values()].flatMap((set) => [...set])), layout);
  const types = new Map<IrFunction, readonly Type[]>(kernels.map((kernel) => [kernel, kernel.parameters.map((parameter) => parameter.type)]));
  const hidden = addHiddenParameters(module, hasLongLoop);
  const { specialization } = request;
  for (const [fn, values] of hidden) {
    lowerQueries(fn, values, placement);
    if (specialization !== null) fixHiddenValues(fn, values, (name, axis) => knownValue(specialization, name, axis));
  }
  const hiddenAt = new Map<IrFunction, number>([...hidden.keys()].map((fn) => [fn, fn.parameters.length - HIDDEN_COUNT]));
  const prepared = kernels.map((kernel) => prepareKernel(module, kernel, types.get(kernel) ?? []));
  if (request.optimize) run(BEFORE_VECTORS);
  const lowered = prepared.map((kernel) => wrapKernel(module, kernel, placement.localBytes, request, hiddenAt));
  addCancellations(module, hiddenAt);
  inlineFunctions(module);
  module.functions.forEach((fn) => {
    if (fn.inline === "always") module.functions.delete(fn.name);
  });
  // Group operations have become arithmetic by now.
  lowerHalf(module);
  for (const fn of module.functions.values()) lowerLocalAtomics(fn);
  run(request.optimize ? CLEAN_UP : ["simplify-cfg", "mem2reg", "dce"]);
  dropUnreached(module, lowered.map(({ name }) => name));
  const generated = generateModule(module, { exports: lowered.map(({ name }) => name), sharedMemory: true, features: request.features });
  const image: ExecutableImage = {
    target: "host",
    features: generated.features,
    code: [{ name: ".wasm", bytes: generated.bytes, features: generated.features, memoryFlagOffset: generated.memoryFlagOffset }],
    kernels: lowered.map((kernel) => kernelRecord(module, kernel, generated.features, request.specialization)),
    programData: placement.programData,
    printfCalls: printfCalls.map((one) => ({ format: one.format, argumentTypes: one.types, strings: one.strings })),
    extraBlocks: [],
  };
  return writeExecutable(image);
}

/** Work-items of a sub-group, where a kernel does not say: what two vectors of floats hold. */
const SUB_GROUP_SIZE = 8;

function subGroupSizeOf(description: KernelDescription): number {
  return description.requiredSubGroupSize ?? SUB_GROUP_SIZE;
}

/** A kernel whose body stands apart, cut where work-items wait. */
interface PreparedKernel {
  readonly name: string;
  readonly description: KernelDescription;
  readonly parameterTypes: readonly Type[];
  readonly body: IrFunction;
  readonly plan: RegionPlan | null;
}

/** Takes a kernel's body out of the kernel and cuts it at its barriers. */
function prepareKernel(module: Module, kernel: IrFunction, parameterTypes: readonly Type[]): PreparedKernel {
  const { name, kernel: description } = kernel;
  assert(description !== null, () => `${name} is a kernel`);
  module.functions.delete(name);
  kernel.name = `${name}.body`;
  kernel.kernel = null;
  kernel.inline = "always";
  module.addFunction(kernel);
  const plan = hasMeeting(kernel) ? cutAtBarriers(kernel, module, parameterTypes.length) : null;
  if (plan !== null) module.functions.delete(kernel.name);
  return { name, description, parameterTypes, body: kernel, plan };
}

/** Writes the wrapper of a kernel, which takes its name. */
function wrapKernel(module: Module, { name, description, parameterTypes, body, plan }: PreparedKernel, localBytes: number, { specialization, vectorization, optimize, report }: BuildRequest, positions: Map<IrFunction, number>): Lowered {
  const hiddenAt = parameterTypes.length;
  for (const { fn } of plan?.regions ?? []) positions.set(fn, hiddenAt);
  const isWhole = specialization?.uniformGroups === true;
  const usesLocal = localBytes > 0 || description.arguments.some(({ kind }) => kind === "local");
  const isFlat = plan === null && !usesLocal && optimize && knowsNoGroup({ fn: body, hiddenAt }, isWhole);
  const sources = plan === null ? [body] : plan.subGroupRegions > 0 ? [] : plan.regions.map(({ fn }) => fn);
  const vectors = optimize ? planVectors(module, sources.map((fn) => ({ fn, hiddenAt })), { specialization, isFlat, hasState: plan?.hasState === true, choice: vectorization }, (form, source) => {
    const position = positions.get(source);
    if (position !== undefined) positions.set(form, position);
  }) : SCALAR_PLAN;
  report?.(reportKernel(name, plan === null ? [body] : plan.regions.map(({ fn }) => fn), plan !== null && plan.subGroupRegions > 0 ? { ...vectors, whyNone: "work-items go on alone" } : vectors, isFlat));
  const { offsets, size } = pack(description);
  writeWrapper({ name, description, parameterTypes, offsets, body: plan === null ? body : null, plan, specialization, subGroupSize: subGroupSizeOf(description), forms: vectors.forms, masked: vectors.masked, axis: vectors.axis, isFlat }, module);
  return { name, description, liveBytes: plan?.liveBytes ?? 0, localBytes, offsets, packedSize: size, vectorWidth: vectors.width, vectorDimension: vectors.axis };
}

/** Lets the loops of all functions look at the cancel word. `hiddenAt`: where the hidden parameters of those begin that have them. */
function addCancellations(module: Module, hiddenAt: ReadonlyMap<IrFunction, number>): void {
  for (const [fn, position] of hiddenAt) {
    const worker = fn.parameters[position + hiddenPosition("worker")];
    assert(worker !== undefined, () => `${fn.name} has hidden parameters`);
    if (module.functions.get(fn.name) === fn) addCancellation(fn, worker, module);
  }
}

/** Functions that no wrapper reaches. */
function dropUnreached(module: Module, roots: readonly string[]): void {
  const reached = new Set<IrFunction>();
  const work = roots.flatMap((name) => module.functions.get(name) ?? []);
  for (let fn = work.pop(); fn !== undefined; fn = work.pop()) {
    if (reached.has(fn)) continue;
    reached.add(fn);
    for (const block of fn.blocks) for (const { symbol } of block.instructions) if (symbol?.kind === "function") work.push(symbol);
  }
  for (const [name, fn] of module.functions) if (!reached.has(fn)) module.functions.delete(name);
}

function kernelRecord(module: Module, lowered: Lowered, features: readonly string[], specialization: Specialization | null): KernelRecord {
  const { name, description, offsets } = lowered;
  const wrapper = module.functions.get(name);
  assert(wrapper !== undefined, () => `${name} has a wrapper`);
  const stack = alignUp(privateBytes(wrapper) + 16, 16);
  const variant: VariantRecord = {
    functionName: name,
    section: ".wasm",
    localSize: specialization?.localSize ?? [0, 0, 0],
    needsUniformGroups: specialization?.uniformGroups ?? false,
    needsZeroOffset: specialization?.zeroOffset ?? false,
    staticLocalBytes: lowered.localBytes,
    liveBytes: lowered.liveBytes,
    privateBytes: stack,
    vectorWidth: lowered.vectorWidth,
    vectorDimension: lowered.vectorDimension,
    subGroupSize: subGroupSizeOf(description),
    engineFeatures: features,
  };
  const list: ArgumentRecord[] = description.arguments.map((argument, i) => ({
    ...argument,
    size: argument.kind === "local" ? argument.size : packedBytes(argument.kind, argument.size),
    alignment: argument.kind === "local" ? 128 : argument.alignment,
    offset: offsets[i] ?? 0,
  }));
  return {
    name,
    arguments: list,
    packedSize: lowered.packedSize,
    requiredWorkGroupSize: description.requiredWorkGroupSize,
    workGroupSizeHint: description.workGroupSizeHint,
    vecTypeHint: description.vecTypeHint,
    requiredSubGroupSize: description.requiredSubGroupSize,
    uniformWorkGroups: description.uniformWorkGroups,
    attributes: description.attributes,
    privateMemorySize: stack + lowered.liveBytes,
    variants: [variant],
  };
}
