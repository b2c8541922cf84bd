// SPDX-License-Identifier: Apache-2.0
// What the host must know of a shader: where each argument goes.

/** An argument of a kernel that is a shader. @public */
export type ShaderArgument =
  | {
      /** A buffer, in a descriptor set. */
      readonly kind: "storageBuffer";
      readonly name: string;
      /** Its type as the source writes it. */
      readonly type: string;
      readonly set: number;
      readonly binding: number;
      /** True: the kernel does not write it, by its type. */
      readonly isReadOnly: boolean;
    }
  | {
      /** A number or a struct, among the push constants. */
      readonly kind: "pushConstant";
      readonly name: string;
      /** Its type as the source writes it. */
      readonly type: string;
      /** Bytes before it, and of it. */
      readonly offset: number;
      readonly size: number;
    }
  | {
      /** Memory of a work-group: a specialization constant is the number of its elements. */
      readonly kind: "workgroupMemory";
      readonly name: string;
      /** Its type as the source writes it. */
      readonly type: string;
      /** The number of that constant. */
      readonly specialization: number;
      /** Bytes of an element; 0: the kernel does not use it. */
      readonly elementBytes: number;
    };

/** What the host must know of a shader. @public */
export interface ShaderBindings {
  /** The name of the kernel, which is that of the entry point. */
  readonly kernel: string;
  /** The size of work-groups: fixed, or specialization constants. */
  readonly workGroupSize:
    | { readonly fixed: readonly [number, number, number] }
    | { readonly specialization: readonly [number, number, number] };
  /** Bytes of all push constants. */
  readonly pushConstantBytes: number;
  /** The arguments in their order. */
  readonly arguments: readonly ShaderArgument[];
}
