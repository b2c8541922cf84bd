// SPDX-License-Identifier: Apache-2.0
// Shader modules and compute pipelines: SPIR-V is reflected, compiled for its local size, and loaded.
import { type Result, err } from "@muxkit/cargo";
import {
  type ArgumentFact,
  type BindingReflection,
  type CompilerError,
  type EntryPointReflection,
  type Kernel,
  type LaunchFacts,
  type Module,
  type ProgramInput,
  type ShaderArgumentReflection,
  buildProgram,
  compilerError,
} from "@muxkit/compiler";
import {
  DEFAULT_ALLOCATOR,
  type MuxExecutable,
  type MuxKernel,
  muxCreateExecutable,
  muxCreateKernel,
  muxDestroyExecutable,
  muxDestroyKernel,
} from "@muxkit/mux";

import { findInChain } from "./chain.ts";
import { checkInterface } from "./pipeline-interface.ts";
import { PipelineLayout } from "./descriptor-layout.ts";
import { type Device, deviceOf } from "./device.ts";
import { VulkanError, fromMux, invalid } from "./error.ts";
import {
  VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
  VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT,
  VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT,
  VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
  VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
} from "./generated/constants.ts";
import { VkPipeline, type VkPipelineCache, VkShaderModule } from "./generated/handles.ts";
import type {
  VkComputePipelineCreateInfo,
  VkPipelineCreationFeedback,
  VkSpecializationInfo,
} from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { PipelineCache } from "./pipeline-cache.ts";

/** A module of SPIR-V: its bytes. What is wrong in it is told when a pipeline is made of it. */
class ShaderModule extends VkShaderModule {
  readonly code: Uint8Array;

  constructor(device: Device, code: Uint8Array) {
    super(device);
    this.code = code;
  }

  protected release(): void {
    // Pipelines have code of their own.
  }
}

/** Forms of a kernel for images and samplers at most; what else is bound runs the code for any. */
const MOST_VARIANTS = 8;

/** The value of a function that is called once, when it is first asked for. */
class Once<T> {
  readonly #make: () => T;
  #made: { readonly value: T } | null = null;

  constructor(make: () => T) {
    this.#make = make;
  }

  get(): T {
    return (this.#made ??= { value: this.#make() }).value;
  }

  /** Null: nobody has asked for it yet. */
  get made(): T | null {
    return this.#made?.value ?? null;
  }
}

/** True for a shader that has better code where the images and samplers that are bound are known. */
const readsImages = ({ arguments: all }: EntryPointReflection): boolean =>
  all.some(({ kind }) => kind === "image" || kind === "sampler");

/** What a pipeline runs. */
interface PipelineCode {
  readonly executable: MuxExecutable;
  readonly kernel: MuxKernel;
}

/** A compute pipeline. */
export class Pipeline extends VkPipeline {
  readonly layout: PipelineLayout;
  /** Work-items of a work-group. */
  readonly localSize: readonly [number, number, number];
  /** The kernel's arguments, in order. */
  readonly arguments: readonly ShaderArgumentReflection[];
  /** The bindings that its shader uses. */
  readonly bindings: readonly BindingReflection[];
  /** Images or samplers are among its arguments. */
  readonly readsImages: boolean;
  readonly #device: Device;
  /** Code for whatever is bound. */
  readonly #generic: Once<PipelineCode>;
  /** The kernel as its compiler has it; null: it has no other code. Made when it is first asked for. */
  readonly #compiled: () => Kernel | null;
  readonly #name: string;
  /** Code for images and samplers, by what is known of them. */
  readonly #variants = new Map<string, PipelineCode>();

  constructor(
    device: Device,
    layout: PipelineLayout,
    entry: EntryPointReflection,
    generic: Once<PipelineCode>,
    compiled: () => Kernel | null,
  ) {
    super(device);
    this.#device = device;
    this.#compiled = compiled;
    this.#name = entry.name;
    this.readsImages = readsImages(entry);
    this.layout = layout;
    this.localSize = entry.localSize;
    this.arguments = entry.arguments;
    this.bindings = entry.bindings;
    this.#generic = generic;
  }

  /** Code for whatever is bound. */
  get kernel(): MuxKernel {
    return this.#generic.get().kernel;
  }

  /** The kernel for images and samplers of which this is known; it is compiled the first time. */
  kernelFor(facts: readonly (ArgumentFact | null)[]): MuxKernel {
    const launch: LaunchFacts = { localSize: this.localSize, uniformGroups: true, zeroOffset: true, arguments: facts };
    const compiled = this.#compiled();
    const key = compiled?.specializationKey(launch) ?? null;
    if (compiled === null || key === null) return this.kernel;
    const known = this.#variants.get(key);
    if (known !== undefined) return known.kernel;
    if (this.#variants.size >= MOST_VARIANTS) return this.kernel;
    const { binary } = fromCompiler(compiled.createSpecializedKernel(launch));
    const made = load(this.#device, binary, this.#name);
    this.#variants.set(key, made);
    return made.kernel;
  }

  protected release(): void {
    const { device } = this.#device.pools;
    const generic = this.#generic.made;
    for (const { kernel, executable } of [...(generic === null ? [] : [generic]), ...this.#variants.values()]) {
      fromMux("vkDestroyPipeline", muxDestroyKernel(device, kernel, DEFAULT_ALLOCATOR));
      fromMux("vkDestroyPipeline", muxDestroyExecutable(device, executable, DEFAULT_ALLOCATOR));
    }
  }
}

const CREATE = "vkCreateComputePipelines";
const NS_PER_MS = 1e6;

/** What the compiler made, or its error thrown: the shader is wrong, or has what the device lacks. */
function fromCompiler<T>(result: Result<T, CompilerError>, module: Module | null = null): T {
  if (result.ok) return result.value;
  const { code, message } = result.error;
  throw new VulkanError(
    code === "feature_unsupported" ? "VK_ERROR_FEATURE_NOT_PRESENT" : "VK_ERROR_INVALID_SHADER_NV",
    CREATE,
    module === null || module.log === "" ? message : `${message}: ${module.log}`,
    { cause: result.error },
  );
}

/** Values of specialization constants, by their ids. */
function specializationOf(info: VkSpecializationInfo | undefined): ReadonlyMap<number, Uint8Array> {
  const values = new Map<number, Uint8Array>();
  const { pData } = info ?? {};
  for (const { constantID, offset, size } of info?.pMapEntries ?? []) {
    if (pData === undefined || offset + size > pData.byteLength)
      throw invalid(
        CREATE,
        `the value of the constant ${constantID} reaches to byte ${offset + size} of ${pData?.byteLength ?? 0}`,
        "VUID-VkSpecializationInfo-pMapEntries-00774",
      );
    values.set(constantID, new Uint8Array(pData.buffer, pData.byteOffset + offset, size).slice());
  }
  return values;
}

/** How many descriptors bindings have, where the shader does not say it. */
function descriptorCounts({ sets }: PipelineLayout): ReadonlyMap<string, number> {
  return new Map(
    sets.flatMap(({ bindings }, set) =>
      [...bindings.values()].map(({ binding, count }) => [`${set},${binding}`, count] as const),
    ),
  );
}

/** Code of a kernel for its local size; the generic one, where that is as good. */
function binaryOf(module: Module, { name, localSize }: EntryPointReflection): Uint8Array {
  const facts: LaunchFacts = { localSize, uniformGroups: true, zeroOffset: true };
  const kernel = module.getKernel(name);
  if (kernel !== null && kernel.specializationKey(facts) !== null)
    return fromCompiler(kernel.createSpecializedKernel(facts)).binary;
  return fromCompiler(module.createKernelBinary(name)) ?? fromCompiler(module.createBinary());
}

function load(device: Device, binary: Uint8Array, name: string): PipelineCode {
  const on = device.pools.device;
  const executable = fromMux(CREATE, muxCreateExecutable(on, binary, DEFAULT_ALLOCATOR));
  const kernel = muxCreateKernel(on, executable, name, DEFAULT_ALLOCATOR);
  if (!kernel.ok) fromMux(CREATE, muxDestroyExecutable(on, executable, DEFAULT_ALLOCATOR));
  return { executable, kernel: fromMux(CREATE, kernel) };
}

/** What code depends on besides the device and the build: the key of a cache. */
function keyOf(
  { source, specialization, descriptorCounts: counts, requiredSubGroupSize = 0 }: ProgramInput,
  name: string,
  options: string,
): Uint8Array {
  const values = [...(specialization ?? [])].map(([id, bytes]) => [id, ...bytes]);
  const text = new TextEncoder().encode(
    JSON.stringify([name, options, values, [...(counts ?? [])], requiredSubGroupSize]),
  );
  const code = typeof source === "string" ? new TextEncoder().encode(source) : source;
  const key = new Uint8Array(text.length + code.length);
  key.set(text);
  key.set(code, text.length);
  return key;
}

function compile(device: Device, input: ProgramInput, options: string): Module {
  const module = device.physical.target(CREATE).createModule();
  fromCompiler(buildProgram(module, input, options), module);
  return module;
}

/** Writes how a pipeline was made into the objects that a program passes for that. */
function giveFeedback(info: VkComputePipelineCreateInfo, isFound: boolean, begin: number): void {
  const wanted = findInChain(info, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
  if (wanted === null) return;
  const made: VkPipelineCreationFeedback = {
    flags:
      VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
      (isFound ? VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT : 0),
    duration: BigInt(Math.round((performance.now() - begin) * NS_PER_MS)),
  };
  // The one stage is all of the pipeline.
  for (const one of [wanted.pPipelineCreationFeedback, ...(wanted.pPipelineStageCreationFeedbacks ?? [])])
    Object.assign(one, made);
}

function createPipeline(device: Device, cache: PipelineCache | null, info: VkComputePipelineCreateInfo): Pipeline {
  const begin = performance.now();
  const { stage, layout: handle, flags = 0 } = info;
  const layout = own(handle, PipelineLayout, CREATE);
  const target = device.physical.target(CREATE);
  const requiredSubGroupSize = findInChain(
    stage,
    VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
  )?.requiredSubgroupSize;
  const input: ProgramInput = {
    kind: "spirv",
    source: own(stage.module, ShaderModule, CREATE).code,
    specialization: specializationOf(stage.pSpecializationInfo),
    descriptorCounts: descriptorCounts(layout),
    ...(requiredSubGroupSize === undefined ? {} : { requiredSubGroupSize }),
  };
  const reflected = fromCompiler(
    target.reflectShader?.(input) ?? err(compilerError("feature_unsupported", `${target.info.name} reads no shaders`)),
  );
  const entry = reflected.entryPoints.find(({ name }) => name === stage.pName);
  if (entry === undefined)
    throw invalid(
      CREATE,
      `the module has no compute shader "${stage.pName}"; it has ${reflected.entryPoints.map(({ name }) => name).join(", ")}`,
      "VUID-VkPipelineShaderStageCreateInfo-pName-00707",
    );
  checkInterface(CREATE, entry, layout);
  const options = device.isRobust ? "-muxkit-robust-buffer-access=zero" : "";
  const key = keyOf(input, entry.name, options);
  const module = new Once(() => compile(device, input, options));
  const found = cache?.find(key) ?? null;
  if (found === null && (flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) !== 0)
    throw new VulkanError("VK_PIPELINE_COMPILE_REQUIRED", CREATE, "the cache does not have the code of the shader");
  const generic = new Once(() => {
    const binary = found ?? binaryOf(module.get(), entry);
    cache?.keep(key, binary);
    return load(device, binary, entry.name);
  });
  // What reads images runs code for those that are bound; a cache is promised code for any.
  if (cache === null && readsImages(entry)) module.get();
  else generic.get();
  giveFeedback(info, found !== null, begin);
  return new Pipeline(device, layout, entry, generic, () => module.get().getKernel(entry.name));
}

/** Entry points for shader modules and pipelines. */
export const PIPELINES: Pick<
  Vulkan,
  "vkCreateShaderModule" | "vkDestroyShaderModule" | "vkCreateComputePipelines" | "vkDestroyPipeline"
> = {
  vkCreateShaderModule: (device, { pCode }): VkShaderModule =>
    new ShaderModule(
      deviceOf(device, "vkCreateShaderModule"),
      new Uint8Array(pCode.buffer, pCode.byteOffset, pCode.byteLength).slice(),
    ),
  vkDestroyShaderModule: (_device, shaderModule) => {
    shaderModule.end();
  },
  vkCreateComputePipelines: (device, pipelineCache, pCreateInfos): readonly VkPipeline[] => {
    const on = deviceOf(device, CREATE);
    // Programs without types may leave it out.
    const given: VkPipelineCache | null | undefined = pipelineCache;
    const cache = given === null || given === undefined ? null : own(given, PipelineCache, CREATE);
    const made: Pipeline[] = [];
    try {
      for (const info of pCreateInfos) made.push(createPipeline(on, cache, info));
    } catch (error) {
      for (const pipeline of made) pipeline.end();
      throw error;
    }
    return made;
  },
  vkDestroyPipeline: (_device, pipeline) => {
    pipeline.end();
  },
};
