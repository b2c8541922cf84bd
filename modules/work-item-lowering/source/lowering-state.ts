// SPDX-License-Identifier: Apache-2.0
// What lowering is asked to do, and what its passes find for one another. Everything that a pass can read off the IR is
// in the IR (calling conventions, kernel descriptions); the state holds the plans that later passes follow: into which
// regions a kernel is cut, which vectorised variants there are. Passes create the entries that they need from the IR,
// so that each of them can be run on a module that came as text.
import { assert } from "@muxkit/cargo";
import {
  type Global,
  type IrFunction,
  type KernelDescription,
  type Module,
  Op,
  type ProgramLayout,
  type Type,
  cloneFunction,
  constantInt,
  indexType,
  replaceUses,
  uses,
  workItemParameter,
} from "@muxkit/ir";
import type { ArgumentFact } from "@muxkit/kernel-abi";
import type { MachineTarget } from "@muxkit/machine-target";

import { usesSubGroups } from "./barriers/convergence.ts";
import type { RegionPlan } from "./barriers/regions.ts";
import type { PromotedMember } from "./passes/promote-arguments.ts";
import { type Specialization, knownLaunch, knownSizes } from "./specialization.ts";
import { CalledVariants } from "./vector/called-variants.ts";
import { fitsVector } from "./vector/sub-groups.ts";
import type { VectorPlan, VectorizationChoice } from "./vector/vector-plan.ts";

/** What to make of a module. @public */
export interface LoweringRequest {
  /** The machine that code is generated for. */
  readonly machine: MachineTarget;
  /** False: no vectorised variants, and only the passes that code generation needs. */
  readonly optimize: boolean;
  /** Launches that the code is for; null: any. */
  readonly specialization: Specialization | null;
  /** How each kernel is vectorised, by its name. */
  readonly vectorization: (kernel: string) => VectorizationChoice;
  /** Where the program's data is stored; null: it is laid out anew. */
  readonly programLayout: ProgramLayout | null;
  /** The layout that a new one begins with: of another module of the same program; null: there is none. */
  readonly layoutBase: ProgramLayout | null;
}

/** A kernel's body, cut where its work-items wait for one another. */
export interface CutBody {
  readonly body: IrFunction;
  /** Its regions; null: they do not wait for one another. */
  readonly plan: RegionPlan | null;
}

/** A kernel on its way from a function for one work-item to one for many work-groups. */
export interface KernelLowering {
  /** Name of the kernel, and of its entry. */
  readonly name: string;
  /** The description of the kernel. */
  readonly description: KernelDescription;
  /** Types of its own parameters: its arguments, then {@link members}. */
  parameterTypes: readonly Type[];
  /** Numbers of its structs by value that are parameters of their own. */
  members: readonly PromotedMember[];
  /** Its body for one work-item; used up when it is cut. */
  readonly body: IrFunction;
  /** What is known of its launches; null: nothing. */
  readonly specialization: Specialization | null;
  /** Work-items of its sub-groups. */
  readonly subGroupSize: number;
  /**
   * A copy of the body in which sub-groups may become vectors (docs/decisions/022-sub-groups.md); null: it has none, or
   * vectors cannot do what they do.
   */
  subGroupBody: IrFunction | null;
  /** The body or its copy, cut at its barriers; null: it has not been cut. */
  cut: CutBody | null;
  /** Its vectorised variants; null: that is not decided. */
  vectors: VectorPlan | null;
  /**
   * True when lanes may span work-groups, since the body depends on its place in the NDRange only
   * (docs/decisions/025-lanes-span-groups.md).
   */
  isFlat: boolean;
}

/** Where variables are stored. */
export interface GlobalPlacement {
  /** Offsets: of local variables from the arena's base, of the others from the program data's. */
  readonly offsets: ReadonlyMap<Global, number>;
  /** Bytes of local memory that kernels declare. */
  readonly localBytes: number;
  /** The program's data. */
  readonly program: ProgramLayout;
}

/** The functions that run a kernel's work-items. */
export function functionsOf({ body, plan }: CutBody): readonly IrFunction[] {
  return plan === null ? [body] : plan.regions.map(({ fn }) => fn);
}

/** True where vectors may be sub-groups: the kernel does something with them, or depends on their size. */
function wantsSubGroups(body: IrFunction, { requiredSubGroupSize }: KernelDescription, size: number): boolean {
  const isUsed = (uses(body).get(workItemParameter(body, "subGroup")) ?? []).some(({ op }) => op !== Op.CALL);
  return fitsVector(size) && (isUsed || requiredSubGroupSize !== null || usesSubGroups(body));
}

/** The state of lowering one module, while its passes run. @public */
export class LoweringState {
  /** What to do; its specialisation is null where only arguments are known. @internal */
  readonly request: LoweringRequest;
  /** What is known of the arguments of the launches, in their order; null: nothing. @internal */
  readonly knownArguments: readonly (ArgumentFact | null)[] | null;
  /** Where the program's data is stored; null: it has not been laid out. */
  programLayout: ProgramLayout | null;
  /** Where variables are stored; null: queries have not been lowered. @internal */
  placement: GlobalPlacement | null = null;
  /** Kernels by name. @internal */
  private readonly kernels = new Map<string, KernelLowering>();
  private variants: CalledVariants | null = null;

  /** A state before the first pass. */
  constructor(request: LoweringRequest) {
    this.request = { ...request, specialization: knownSizes(request.specialization) };
    this.knownArguments = request.specialization?.arguments ?? null;
    this.programLayout = request.programLayout;
  }

  /** Vectorised variants of the functions that kernels of the module call. @internal */
  calledVariants(module: Module): CalledVariants {
    return (this.variants ??= new CalledVariants(module, this.request.machine));
  }

  /** The kernels whose bodies have been separated. @internal */
  get separated(): readonly KernelLowering[] {
    return [...this.kernels.values()];
  }

  /** Takes the bodies of the module's kernels out of them, where that has not been done; all kernels. @internal */
  separate(module: Module): readonly KernelLowering[] {
    for (const kernel of module.kernels)
      if (kernel.convention.kind === "work_item") this.separateKernel(module, kernel);
    return this.separated;
  }

  private separateKernel(module: Module, body: IrFunction): void {
    const { name, kernel: description, convention } = body;
    const { machine, optimize, specialization, vectorization } = this.request;
    assert(description !== null && convention.kind === "work_item", () => `${name} is a kernel`);
    module.functions.delete(name);
    body.name = `${name}.body`;
    body.kernel = null;
    body.inline = "always";
    module.addFunction(body);
    const subGroupSize = description.requiredSubGroupSize ?? machine.limits.subGroupSize;
    const takesVectors = optimize && vectorization(name) !== "never";
    const isOfSubGroups = takesVectors && wantsSubGroups(body, description, subGroupSize);
    replaceUses(
      body,
      new Map([[workItemParameter(body, "subGroup"), constantInt(indexType(module.layout), subGroupSize)]]),
    );
    this.kernels.set(name, {
      name,
      description,
      parameterTypes: body.parameters.slice(0, convention.first).map(({ type }) => type),
      members: [],
      body,
      specialization: knownLaunch(description, specialization),
      subGroupSize,
      subGroupBody: isOfSubGroups ? module.addFunction(cloneFunction(body, `${name}.groups`)) : null,
      cut: null,
      vectors: null,
      isFlat: false,
    });
  }
}
