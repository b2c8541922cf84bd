// SPDX-License-Identifier: Apache-2.0
// From a finalized program to what a code generator takes: runs the pass list, and gathers what an executable holds of
// kernels.
import { type IrFunction, type KernelDescription, type Module, type ProgramBytes, cloneModule } from "@muxkit/ir";
import { type PackedLayout, packArgumentLayout } from "@muxkit/kernel-abi";
import { type PassContext, type PassRun, runPasses } from "@muxkit/passes";
import type { PrintfDescription } from "@muxkit/printf";

import { abiPointerBytes } from "./abi-fields.ts";
import { loweringPasses } from "./lowering-pass.table.ts";
import { type KernelLowering, type LoweringRequest, LoweringState, functionsOf } from "./lowering-state.ts";
import { LIBRARY_PASSES, type Tier, loweringPassList } from "./pass-list.ts";
import { isAnyKnown } from "./passes/fix-launch-arguments.ts";
import type { Specialization } from "./specialization.ts";
import { SCALAR_PLAN, type VectorPlan } from "./vector/vector-plan.ts";

/** What to lower, and how. @public */
export interface LowerRequest extends Omit<LoweringRequest, "programLayout" | "layoutBase"> {
  /**
   * The finalized program. Its code is not changed; where its data is stored is decided once, see
   * `Module.programLayout`.
   */
  readonly module: Module;
  /** Only this kernel; null: all of them. */
  readonly only: string | null;
  /** How much is done for its code; absent: `full`. */
  readonly tier?: Tier;
  /** The library. */
  readonly context: PassContext;
  /** Another module of the same program, whose data stays where it is; absent: there is none. */
  readonly layoutOf?: Module;
  /** True: the module is verified after every pass. */
  readonly verifyEach: boolean;
  /** Called after each pass with the module; absent: nobody watches. */
  readonly after?: (run: PassRun, module: Module) => void;
}

/** A kernel that has been lowered. @public */
export interface LoweredKernel {
  /** Name of the kernel and of its entry. */
  readonly name: string;
  /** The description of the kernel. */
  readonly description: KernelDescription;
  /** Launches that its code is for; null: any. */
  readonly specialization: Specialization | null;
  /** Where its arguments are packed. */
  readonly packed: PackedLayout;
  /** Bytes that each work-item of a group takes in its spill frame. */
  readonly liveBytes: number;
  /** Bytes of local memory that kernels of the program declare. */
  readonly localBytes: number;
  /** Work-items of a sub-group. */
  readonly subGroupSize: number;
  /** Its body, or its regions. */
  readonly functions: readonly IrFunction[];
  /** Their vectorised variants. */
  readonly vectors: VectorPlan;
  /** True when lanes may span work-groups. */
  readonly isFlat: boolean;
}

/** A program that has been lowered. @public */
export interface LoweredProgram {
  /** Functions for the code generator; those of convention `kernel_entry` are what the runtime calls. */
  readonly module: Module;
  /** Its kernels. */
  readonly kernels: readonly LoweredKernel[];
  /** Its data; null: there is none. */
  readonly programData: ProgramBytes | null;
  /** What its calls of printf print, by number. */
  readonly printfCalls: readonly PrintfDescription[];
}

/** Lays out the data of all of a program of which one kernel is to be lowered. */
function layOutWhole(request: LowerRequest, context: PassContext): void {
  const whole = cloneModule(request.module);
  const state = new LoweringState({ ...request, ...layoutOf(request) });
  runPasses(whole, LIBRARY_PASSES, {
    ...context,
    machine: request.machine,
    printfCall: () => undefined,
    passes: loweringPasses(state),
  });
  request.module.programLayout = state.programLayout;
}

function layoutOf({ module, layoutOf: other }: LowerRequest): Pick<LoweringRequest, "programLayout" | "layoutBase"> {
  return { programLayout: module.programLayout, layoutBase: other?.programLayout ?? null };
}

function loweredKernel(
  { name, description, specialization, subGroupSize, body, cut, vectors, isFlat }: KernelLowering,
  state: LoweringState,
  module: Module,
): LoweredKernel {
  return {
    name,
    description,
    specialization,
    packed: packArgumentLayout(description.arguments, abiPointerBytes(module.layout)),
    liveBytes: cut?.plan?.liveBytes ?? 0,
    localBytes: state.placement?.localBytes ?? 0,
    subGroupSize,
    functions: functionsOf(cut ?? { body, plan: null }),
    vectors: vectors ?? SCALAR_PLAN,
    isFlat,
  };
}

/** Lowers a program, or one kernel of it. Throws InternalError when a pass is wrong. @public */
export function lowerProgram(request: LowerRequest): LoweredProgram {
  const { module: source, only, optimize, tier = "full", specialization, verifyEach, after } = request;
  if (only !== null && source.programLayout === null) layOutWhole(request, request.context);
  const module = cloneModule(source);
  if (only !== null) for (const fn of module.functions.values()) if (fn.name !== only) fn.kernel = null;
  const { vectorization } = request;
  const state = new LoweringState({
    ...request,
    vectorization: tier === "quick" ? () => "never" : vectorization,
    ...layoutOf(request),
  });
  const printfCalls: PrintfDescription[] = [];
  runPasses(
    module,
    loweringPassList({ optimize, tier, hasKnownArguments: isAnyKnown(specialization?.arguments) }),
    {
      ...request.context,
      machine: request.machine,
      printfCall: (description) => printfCalls.push(description),
      passes: loweringPasses(state),
    },
    { verifyEach, ...(after === undefined ? {} : { after: (run: PassRun) => after(run, module) }) },
  );
  source.programLayout = state.programLayout;
  return {
    module,
    kernels: state.separated.map((kernel) => loweredKernel(kernel, state, module)),
    programData: state.programLayout?.programData ?? null,
    printfCalls,
  };
}
