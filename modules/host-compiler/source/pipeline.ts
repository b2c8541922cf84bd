// SPDX-License-Identifier: Apache-2.0
// The host's pipeline: a finalized module to an executable, generic or for one launch.
import { alignUp, assert } from "@muxkit/cargo";
import type { CompilerOptions, KernelReport } from "@muxkit/compiler";
import {
  I32,
  type IrFunction,
  type KernelDescription,
  Module,
  Op,
  type Type,
  cloneFunction,
  cloneModule,
  constantInt,
  replaceUses,
  uses,
} from "@muxkit/ir";
import { LARGEST_ALIGNMENT, packArgumentLayout, type PackedLayout, sharedMemoryPatch } from "@muxkit/kernel-abi";
import {
  type ArgumentMetadata,
  type ExecutableImage,
  type KernelMetadata,
  type VariantMetadata,
  writeExecutable,
} from "@muxkit/metadata";
import { type PassContext, inlineFunctions, linkBuiltins, replacePrintf, runPasses } from "@muxkit/passes";
import { privateBytes } from "@muxkit/machine-target";
import type { PrintfDescription } from "@muxkit/printf";
import { findUniformity } from "@muxkit/vecz";
import { generateModule, wasmMachine, WASM_MACHINE } from "@muxkit/wasm";
import {
  HIDDEN_COUNT,
  type HiddenName,
  type MeetingScope,
  type ProgramLayout,
  type RegionPlan,
  SCALAR_PLAN,
  type Specialization,
  type VectorPlan,
  type VectorizationChoice,
  addCancellation,
  addHiddenParameters,
  cutAtBarriers,
  fitsVector,
  fixArguments,
  fixHiddenValues,
  hasLongLoop,
  hasMeeting,
  hiddenPosition,
  ids,
  inlineImageFunctions,
  knownLaunch,
  knowsNoGroup,
  layOutProgram,
  lowerLocalAtomics,
  lowerQueries,
  lowerSoft,
  partWalks,
  placeGlobals,
  planSubGroups,
  planVectors,
  saysAnything,
  usedLocals,
  usesSubGroups,
  writeWrapper,
} from "@muxkit/work-item-lowering";

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
  /** Kernels of which something else was asked; absent: there are none. */
  readonly kernelVectorization?: CompilerOptions["kernelVectorization"];
  /** Hears what became of each kernel; absent: nobody does. */
  readonly report?: (report: KernelReport) => void;
  /** Hears the module as the code generator is given it; absent: nobody does. */
  readonly lowered?: (module: Module) => void;
  /** True: every pass is verified. */
  readonly verifyEach: boolean;
  /** A module of the same program that was built before, whose data lies where it lay; absent: there is none. */
  readonly layoutOf?: Module;
}

const CLEAN_UP = [
  "simplify-cfg",
  "sroa",
  "mem2reg",
  "infer-address-space",
  "mem2reg",
  "simplify",
  "gvn",
  "loop-rotate",
  "licm",
  "simplify-cfg",
  "simplify",
  "gvn",
  "dce",
  "simplify-cfg",
];

interface Lowered {
  readonly name: string;
  readonly description: KernelDescription;
  readonly liveBytes: number;
  readonly localBytes: number;
  readonly packed: PackedLayout;
  /** Lanes; 1: work-items run one by one. */
  readonly vectorWidth: number;
  readonly vectorDimension: number;
}

/** Brings in the library functions that kernels call, and those of what the machine lacks. */
function bringLibrary(
  module: Module,
  context: PassContext,
  features: readonly string[],
  run: (passes: readonly string[]) => void,
): void {
  run(["global-dce", "image-arg-subst"]);
  replacePrintf(module, context);
  lowerSoft(module, features);
  // Library code may need what the machine lacks too, for which there is library code again.
  do linkBuiltins(module, context);
  while (lowerSoft(module, features));
}

const layouts = new WeakMap<Module, ProgramLayout>();

/** The layout of a finalized module's data. `linked` is the whole module with its library where it is at hand. */
function programLayout(
  source: Module,
  linked: Module | null,
  { context, features, layoutOf }: BuildRequest,
): ProgramLayout {
  let layout = layouts.get(source);
  if (layout !== undefined) return layout;
  const whole = linked ?? cloneModule(source);
  if (linked === null)
    bringLibrary(whole, { ...context, printfCall: () => undefined }, features, (passes) =>
      runPasses(whole, passes, context),
    );
  layout = layOutProgram(whole, layoutOf === undefined ? null : (layouts.get(layoutOf) ?? null));
  layouts.set(source, layout);
  return layout;
}

/** What a specialisation says of a hidden value; null: nothing. */
function knownValue(
  { localSize, uniformGroups, zeroOffset }: Specialization,
  name: HiddenName,
  axis: number,
): number | null {
  if (name === "enqueued" || (name === "size" && uniformGroups)) return localSize[axis] ?? null;
  return name === "offset" && zeroOffset ? 0 : null;
}

/** Bytes of the executable. Throws InternalError when a pass is wrong. @public */
export function buildExecutable(request: BuildRequest): Uint8Array {
  return writeExecutable(buildImage(request));
}

/** The executable. Throws InternalError when a pass is wrong. */
export function buildImage(asked: BuildRequest): ExecutableImage {
  const request = { ...asked, context: { ...asked.context, machine: wasmMachine(asked.features) } };
  const module = cloneModule(request.module);
  const run = (passes: readonly string[]): void =>
    runPasses(module, passes, request.context, { verifyEach: request.verifyEach });
  if (request.only !== null)
    for (const fn of module.functions.values()) if (fn.kernel !== null && fn.name !== request.only) fn.kernel = null;
  const printfCalls: PrintfDescription[] = [];
  bringLibrary(
    module,
    { ...request.context, printfCall: (description) => printfCalls.push(description) },
    request.features,
    run,
  );
  const layout = programLayout(request.module, request.only === null ? module : null, request);
  const facts = request.optimize ? request.specialization?.arguments : undefined;
  if (facts !== undefined && saysAnything(facts)) {
    inlineImageFunctions(module);
    run(["inline", "global-dce", "simplify-cfg", "sroa", "mem2reg", "simplify"]);
    for (const kernel of module.kernels) fixArguments(kernel, facts);
    run(["simplify", "simplify-cfg", "gvn", "loop-rotate", "licm", "simplify-cfg", "dce", "loop-unroll"]);
  }
  // What was put into all its callers is in nobody's way any more.
  run(["inline", "global-dce", ...(request.optimize ? [...CLEAN_UP, "alias-groups"] : ["simplify-cfg", "dce"])]);
  const kernels = module.kernels;
  const locals = new Map(kernels.map((kernel) => [kernel.name, usedLocals(kernel)]));
  const placement = placeGlobals(module, new Set([...locals.values()].flatMap((set) => [...set])), layout);
  const types = new Map<IrFunction, readonly Type[]>(
    kernels.map((kernel) => [kernel, kernel.parameters.map((parameter) => parameter.type)]),
  );
  const hidden = addHiddenParameters(module, hasLongLoop);
  for (const [fn, values] of hidden) {
    const specialization = fn.kernel === null ? request.specialization : knownLaunch(fn.kernel, request.specialization);
    lowerQueries(fn, values, placement);
    if (specialization !== null) fixHiddenValues(fn, values, (name, axis) => knownValue(specialization, name, axis));
  }
  const hiddenAt = new Map<IrFunction, number>(
    [...hidden.keys()].map((fn) => [fn, fn.parameters.length - HIDDEN_COUNT]),
  );
  const prepared = kernels.map((kernel) => prepareKernel(module, kernel, types.get(kernel) ?? [], request));
  if (request.optimize) run(BEFORE_VECTORS);
  const lowered = prepared.map((kernel) => wrapKernel(module, kernel, placement.localBytes, request, hiddenAt));
  addCancellations(module, hiddenAt);
  inlineFunctions(module);
  module.functions.forEach((fn) => {
    if (fn.inline === "always") module.functions.delete(fn.name);
  });
  // Group operations have become arithmetic by now.
  run(["lower-half"]);
  for (const fn of module.functions.values()) lowerLocalAtomics(fn);
  run(
    request.optimize
      ? [...CLEAN_UP, "split-addresses", "gvn", "loop-rotate", "licm", "simplify-cfg", "dce", "sink", "share-addresses"]
      : ["simplify-cfg", "mem2reg", "dce"],
  );
  dropUnreached(
    module,
    lowered.map(({ name }) => name),
  );
  request.lowered?.(module);
  const generated = generateModule(module, {
    exports: lowered.map(({ name }) => name),
    sharedMemory: true,
    features: request.features,
  });
  return {
    target: "host",
    features: generated.features,
    code: [
      {
        name: ".wasm",
        bytes: generated.bytes,
        features: generated.features,
        patches: [sharedMemoryPatch(generated.memoryFlagOffset)],
      },
    ],
    kernels: lowered.map((kernel) =>
      kernelRecord(module, kernel, generated.features, knownLaunch(kernel.description, request.specialization)),
    ),
    programData: placement.programData,
    printfCalls: printfCalls.map((one) => ({ format: one.format, argumentTypes: one.types, strings: one.strings })),
    extraBlocks: [],
  };
}

/** Work-items of a sub-group, where a kernel does not say: what two vectors of floats hold. */
const SUB_GROUP_SIZE = 8;

function subGroupSizeOf(description: KernelDescription): number {
  return description.requiredSubGroupSize ?? SUB_GROUP_SIZE;
}

/** What a function gives, computed when it is first asked for. */
function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => (known ??= { value: compute() }).value;
}

/** A kernel's body, whole or cut where its work-items wait for one another. */
interface CutBody {
  readonly body: IrFunction;
  readonly plan: RegionPlan | null;
}

/** A kernel whose body stands apart. */
interface PreparedKernel {
  readonly name: string;
  readonly description: KernelDescription;
  readonly parameterTypes: readonly Type[];
  /** The body; of kernels whose sub-groups may become vectors it is cut later, if at all. */
  readonly body: IrFunction;
  /** A body of which only work-groups are cut, since the lanes of a vector may be a sub-group; null: there is none. */
  readonly ofSubGroups: CutBody | null;
  /** How to cut the body itself. */
  readonly cut: () => CutBody;
}

/** True for kernels whose vectors are sub-groups (decision 22): they do something with them, or say their size. */
function wantsSubGroups(body: IrFunction, hiddenAt: number, description: KernelDescription): boolean {
  const size = body.parameters[hiddenAt + hiddenPosition("subGroup")];
  const asks = (size === undefined ? [] : (uses(body).get(size) ?? [])).some(({ op }) => op !== Op.CALL);
  return (
    fitsVector(subGroupSizeOf(description)) &&
    (asks || description.requiredSubGroupSize !== null || usesSubGroups(body))
  );
}

function cutBody(body: IrFunction, module: Module, hiddenAt: number, least: MeetingScope): CutBody {
  const plan = hasMeeting(body, least) ? cutAtBarriers(body, module, hiddenAt, least) : null;
  if (plan !== null) module.functions.delete(body.name);
  return { body, plan };
}

/** Lets the work-items of a group read memory row by row, where they do so at all and it is known how long rows are. */
function partRows(body: IrFunction, module: Module, hiddenAt: number, known: Specialization | null): void {
  const id = body.parameters[hiddenAt + hiddenPosition("local", 0)];
  if (known === null || id === undefined || known.localSize[1] * known.localSize[2] > 1 || usesSubGroups(body)) return;
  // Vectors that go on from group to group know no rows.
  if (!hasMeeting(body, "sub_group") && knowsNoGroup({ fn: body, hiddenAt }, known.uniformGroups)) return;
  partWalks(body, {
    layout: module.layout,
    id,
    count: known.localSize[0],
    findUniformity: () => findUniformity(body, module.layout, ids(body, hiddenAt), new Set()),
  });
}

/** How a kernel is vectorised. */
function choiceFor(name: string, { vectorization, kernelVectorization = [] }: BuildRequest): VectorizationChoice {
  return kernelVectorization.find(({ kernel }) => kernel === name)?.mode ?? vectorization;
}

/** Takes a kernel's body out of the kernel and cuts it at its barriers. */
function prepareKernel(
  module: Module,
  kernel: IrFunction,
  parameterTypes: readonly Type[],
  request: BuildRequest,
): PreparedKernel {
  const { optimize, specialization } = request;
  const { name, kernel: description } = kernel;
  const vectorization = choiceFor(name, request);
  assert(description !== null, () => `${name} is a kernel`);
  const hiddenAt = parameterTypes.length;
  module.functions.delete(name);
  kernel.name = `${name}.body`;
  kernel.kernel = null;
  kernel.inline = "always";
  module.addFunction(kernel);
  const mayBeVectors = optimize && vectorization !== "never";
  const isOfSubGroups = mayBeVectors && wantsSubGroups(kernel, hiddenAt, description);
  const size = kernel.parameters[hiddenAt + hiddenPosition("subGroup")];
  if (size !== undefined) replaceUses(kernel, new Map([[size, constantInt(I32, subGroupSizeOf(description))]]));
  const cut = once(() => {
    if (mayBeVectors) partRows(kernel, module, hiddenAt, knownLaunch(description, specialization));
    return cutBody(kernel, module, hiddenAt, "sub_group");
  });
  if (!isOfSubGroups) cut();
  return {
    name,
    description,
    parameterTypes,
    body: kernel,
    ofSubGroups: isOfSubGroups
      ? cutBody(module.addFunction(cloneFunction(kernel, `${name}.groups`)), module, hiddenAt, "work_group")
      : null,
    cut,
  };
}

/** Functions that run a kernel's work-items, and their vector forms. */
interface PlannedKernel extends CutBody {
  readonly vectors: VectorPlan;
  readonly isFlat: boolean;
}

function planKernel(
  module: Module,
  { name, parameterTypes, description, ofSubGroups, cut }: PreparedKernel,
  localBytes: number,
  request: BuildRequest,
  positions: Map<IrFunction, number>,
): PlannedKernel {
  const { specialization, optimize, context } = request;
  const { machine } = context;
  const hiddenAt = parameterTypes.length;
  const onMade = (form: IrFunction, source: IrFunction): void => {
    const position = positions.get(source);
    if (position !== undefined) positions.set(form, position);
  };
  const functionsOf = ({ body, plan }: CutBody): readonly IrFunction[] => {
    const list = plan === null ? [body] : plan.regions.map(({ fn }) => fn);
    for (const fn of list) positions.set(fn, hiddenAt);
    return list;
  };
  if (ofSubGroups !== null) {
    const sources = functionsOf(ofSubGroups).map((fn) => ({ fn, hiddenAt }));
    const made = planSubGroups(
      module,
      sources,
      { specialization, hasState: ofSubGroups.plan?.hasState === true, width: subGroupSizeOf(description), machine },
      onMade,
    );
    if ("forms" in made)
      return {
        ...ofSubGroups,
        isFlat: false,
        vectors: { ...SCALAR_PLAN, remarks: made.remarks, width: made.width, subGroups: made },
      };
  }
  const own = cut();
  const { body, plan } = own;
  const sources = functionsOf(own);
  const usesLocal = localBytes > 0 || description.arguments.some(({ kind }) => kind === "local");
  const isFlat =
    plan === null &&
    !usesLocal &&
    optimize &&
    knowsNoGroup({ fn: body, hiddenAt }, specialization?.uniformGroups === true);
  if (!optimize) return { ...own, isFlat, vectors: SCALAR_PLAN };
  if (plan !== null && plan.subGroupRegions > 0)
    return { ...own, isFlat, vectors: { ...SCALAR_PLAN, whyNone: "work-items go on alone" } };
  const vectors = planVectors(
    module,
    sources.map((fn) => ({ fn, hiddenAt })),
    {
      specialization,
      isFlat,
      hasState: plan?.hasState === true,
      machine,
      choice: choiceFor(name, request),
      tidy: (fn) => tidy(fn, module, context),
    },
    onMade,
  );
  return { ...own, isFlat, vectors };
}

/** Shares what the rows of a jammed function have in common. The function stands in no module. */
function tidy(fn: IrFunction, { layout }: Module, context: PassContext): void {
  const apart = new Module("rows", layout);
  apart.addFunction(fn);
  runPasses(apart, BEFORE_VECTORS, context);
}

/** Writes the wrapper of a kernel, which takes its name. */
function wrapKernel(
  module: Module,
  kernel: PreparedKernel,
  localBytes: number,
  request: BuildRequest,
  positions: Map<IrFunction, number>,
): Lowered {
  const { name, description, parameterTypes } = kernel;
  const { report } = request;
  const specialization = knownLaunch(description, request.specialization);
  const { body, plan, vectors, isFlat } = planKernel(
    module,
    kernel,
    localBytes,
    { ...request, specialization },
    positions,
  );
  report?.(reportKernel(name, plan === null ? [body] : plan.regions.map(({ fn }) => fn), vectors, isFlat));
  const packed = packArgumentLayout(description.arguments, 4);
  writeWrapper(
    {
      name,
      description,
      parameterTypes,
      offsets: packed.offsets,
      body: plan === null ? body : null,
      plan,
      specialization,
      subGroupSize: subGroupSizeOf(description),
      forms: vectors.forms,
      masked: vectors.masked,
      jams: vectors.jams,
      ranges: vectors.ranges,
      axis: vectors.axis,
      isFlat,
      vectorGroups: vectors.subGroups,
    },
    module,
  );
  return {
    name,
    description,
    liveBytes: plan?.liveBytes ?? 0,
    localBytes,
    packed,
    vectorWidth: vectors.width,
    vectorDimension: vectors.axis,
  };
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
    for (const block of fn.blocks)
      for (const { symbol } of block.instructions) if (symbol?.kind === "function") work.push(symbol);
  }
  for (const [name, fn] of module.functions) if (!reached.has(fn)) module.functions.delete(name);
}

function kernelRecord(
  module: Module,
  lowered: Lowered,
  features: readonly string[],
  specialization: Specialization | null,
): KernelMetadata {
  const { name, description, packed } = lowered;
  const wrapper = module.functions.get(name);
  assert(wrapper !== undefined, () => `${name} has a wrapper`);
  const stack = alignUp(privateBytes(WASM_MACHINE, wrapper) + 16, 16);
  const variant: VariantMetadata = {
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
  const list: ArgumentMetadata[] = description.arguments.map((argument, i) => ({
    ...argument,
    size: argument.kind === "local" ? argument.size : (packed.sizes[i] ?? 0),
    alignment: argument.kind === "local" ? LARGEST_ALIGNMENT : argument.alignment,
    offset: packed.offsets[i] ?? 0,
  }));
  return {
    name,
    arguments: list,
    packedSize: lowered.packed.bytes,
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
