// SPDX-License-Identifier: Apache-2.0
// A dispatch of a compute shader: resources by set and binding become the arguments of the kernel that the front end
// `spirv` makes of an entry point, by what `reflectShader` says of the module. Then it is a launch like any other.
import type { Image } from "@muxkit/libimg";
import { describeSpirvError, reflectShader } from "@muxkit/spirv";

import type { DifferentialArgument, AnyLaunch, Outcome } from "./differential.ts";

/** What is bound: a buffer's bytes, an image with its pixels (`isCube`: its layers are
 * faces), the bits of a sampler, an image and a sampler. @public */
export type ShaderResource =
  | { readonly buffer: Uint8Array }
  | { readonly image: Image; readonly pixels: Uint8Array; readonly sampler?: number; readonly isCube?: boolean }
  | { readonly sampler: number };

/** A dispatch. @public */
export interface ShaderDispatch {
  /** The module's bytes. */
  readonly module: Uint8Array;
  /** The entry point; absent: `main`. */
  readonly entry?: string;
  /** Work-groups by axis. */
  readonly groups: readonly [number, number, number];
  /** Resources by `set,binding`; an array of descriptors is a list. */
  readonly resources: Readonly<Record<string, ShaderResource | readonly ShaderResource[]>>;
  /** Push constants from byte 0 on. */
  readonly push?: Uint8Array;
  /** Values of specialization constants by their ids. */
  readonly specialization?: ReadonlyMap<number, Uint8Array>;
  readonly descriptorCounts?: ReadonlyMap<string, number>;
  /** Options of the build. */
  readonly options?: string;
}

/** The arguments of a buffer, an image, a sampler; `part` says which of them. */
function argumentOf(resource: ShaderResource, part: string): DifferentialArgument {
  if (part === "buffer" && "buffer" in resource) return { contents: resource.buffer };
  if (part === "buffer-bytes" && "buffer" in resource)
    return { value: new Uint8Array(Uint32Array.of(resource.buffer.length).buffer) };
  if (part === "image" && "image" in resource) return { contents: resource.pixels, image: resource.image };
  if (part === "sampler" && "sampler" in resource && resource.sampler !== undefined)
    return { sampler: resource.sampler };
  throw new Error(`the shader takes a ${part}, and something else is bound`);
}

/** The launch that a dispatch is. Throws where the module cannot be read or something is not bound. @public */
export function shaderLaunch(dispatch: ShaderDispatch): AnyLaunch {
  const { module, entry = "main", groups, resources, push, specialization, descriptorCounts, options } = dispatch;
  const input = {
    kind: "spirv",
    source: module,
    ...(specialization === undefined ? {} : { specialization }),
    ...(descriptorCounts === undefined ? {} : { descriptorCounts }),
  };
  const reflected = reflectShader(module, input);
  if (!reflected.ok) throw new Error(describeSpirvError(reflected.error));
  const found = reflected.value.entryPoints.find(({ name }) => name === entry);
  if (found === undefined) throw new Error(`there is no entry point ${entry}`);
  const list = found.arguments.map((argument): DifferentialArgument => {
    if (argument.kind === "push-constants") {
      const value = new Uint8Array(argument.bytes);
      value.set((push ?? value).subarray(0, argument.bytes));
      return { value };
    }
    const key = `${argument.set},${argument.binding}`;
    const bound = [resources[key] ?? []].flat()[argument.element];
    if (bound === undefined) throw new Error(`nothing is bound at ${key}, element ${argument.element}`);
    return argumentOf(bound, argument.kind);
  });
  const [x, y, z] = found.localSize;
  return {
    source: input,
    kernel: entry,
    arguments: list,
    global: [groups[0] * x, groups[1] * y, groups[2] * z],
    local: [x, y, z],
    ...(options === undefined ? {} : { options }),
  };
}

/** The contents of buffers and images after a dispatch, by `set,binding`, each as often as it is bound. @public */
export function resourcesAfter(dispatch: ShaderDispatch, { buffers }: Outcome): ReadonlyMap<string, Uint8Array[]> {
  const reflected = reflectShader(dispatch.module, dispatch);
  const after = new Map<string, Uint8Array[]>();
  if (!reflected.ok) return after;
  const found = reflected.value.entryPoints.find(({ name }) => name === (dispatch.entry ?? "main"));
  let next = 0;
  for (const argument of found?.arguments ?? []) {
    if (argument.kind !== "buffer" && argument.kind !== "image") continue;
    const key = `${argument.set},${argument.binding}`;
    const contents = buffers[next++];
    if (contents !== undefined) after.set(key, [...(after.get(key) ?? []), contents]);
  }
  return after;
}
