// SPDX-License-Identifier: Apache-2.0
// What a module of compute shaders wants from outside, as data (docs/decisions/068-shader-arguments.md): the front end
// says it, an API lays out descriptors and passes arguments by it.

/** What kind of resource a binding is. @public */
export type DescriptorKind =
  | "storage-buffer"
  | "uniform-buffer"
  | "sampled-image"
  | "storage-image"
  | "uniform-texel-buffer"
  | "storage-texel-buffer"
  | "sampler"
  | "combined-image-sampler";

/** A binding that an entry point uses. @public */
export interface BindingReflection {
  /** The descriptor set. */
  readonly set: number;
  /** The number in its set. */
  readonly binding: number;
  /** The kind of its descriptors. */
  readonly kind: DescriptorKind;
  /** Descriptors of the binding. */
  readonly count: number;
  /** Its name in the module; empty: it has none. */
  readonly name: string;
  /** Whether something reads it. */
  readonly isRead: boolean;
  /** Whether something writes it. */
  readonly isWritten: boolean;
  /** Bytes that a buffer has at least, without what follows in an array without a length; 0: it is no buffer. */
  readonly blockBytes: number;
  /** Bytes of an element of the array without a length at the buffer's end; 0: it has none. */
  readonly elementBytes: number;
  /** The shape of an image, as OpenCL C names it (`image2d_array_t`); empty: it is none. */
  readonly image: string;
  /** What an image is read as; empty: it is none. */
  readonly sampledType: "" | "float" | "int" | "uint";
}

/** An argument of the kernel that an entry point becomes, in order. @public */
export type ShaderArgumentReflection =
  | {
      readonly kind: "buffer" | "buffer-bytes" | "image" | "sampler";
      /** The descriptor set. */
      readonly set: number;
      /** The number in its set. */
      readonly binding: number;
      /** The descriptor's number in its binding. */
      readonly element: number;
    }
  | { readonly kind: "push-constants"; readonly bytes: number };

/** An entry point. @public */
export interface EntryPointReflection {
  /** The name of the entry point. */
  readonly name: string;
  /** Work-items of a work-group in x, y and z; specialization constants in it have the values of the options. */
  readonly localSize: readonly [number, number, number];
  /** The bindings that it uses, by set and number. */
  readonly bindings: readonly BindingReflection[];
  /** The bytes of push constants that are used; null: none. */
  readonly pushConstants: { readonly name: string; readonly offset: number; readonly bytes: number } | null;
  /** The kernel's arguments. */
  readonly arguments: readonly ShaderArgumentReflection[];
}

/** A specialization constant. @public */
export interface SpecializationReflection {
  /** The number that it is given a value by (`SpecId`). */
  readonly id: number;
  /** Its name in the module; empty: it has none. */
  readonly name: string;
  /** Its type. */
  readonly type: "bool" | "int" | "uint" | "float";
  /** Bits of its type. */
  readonly bits: number;
  /** The value that it has by default, little-endian. */
  readonly value: Uint8Array;
}

/** What a module of compute shaders wants from outside. @public */
export interface ShaderReflection {
  /** The compute shaders of the module. */
  readonly entryPoints: readonly EntryPointReflection[];
  /** The constants with a `SpecId`. */
  readonly specialization: readonly SpecializationReflection[];
}
