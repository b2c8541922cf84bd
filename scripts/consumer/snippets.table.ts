// SPDX-License-Identifier: Apache-2.0
// What each program on a page for users needs before it is whole: declarations of what the reader has.

/** How a program of a page is checked. */
export interface SnippetRow {
  /** The page, and the number of the program on it. */
  readonly program: `${string}.md ${number}`;
  /** TypeScript before it. */
  readonly prelude: string;
  /** True: it is complete and is run; else only its types are checked. */
  readonly runs: boolean;
}

const complete = (program: SnippetRow["program"]): SnippetRow => ({ program, prelude: "", runs: true });
const typed = (program: SnippetRow["program"], ...prelude: readonly string[]): SnippetRow => ({
  program,
  prelude: prelude.map((line) => `${line}\n`).join(""),
  runs: false,
});

/** Packages that a reader has and the checked project does not. */
export const AMBIENT = `declare module "vite" {
  export function defineConfig(config: object): object;
}
declare module "vitest" {
  export function test(name: string, run: () => void | Promise<void>): void;
  export interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {}
  export function expect<T>(value: T): Matchers<void, T>;
}
`;

/** All programs of the pages for users. */
export const SNIPPET_ROWS: readonly SnippetRow[] = [
  complete("README.md 1"),
  complete("source/muxkit/README.md 1"),
  complete("source/cl/README.md 1"),
  complete("source/vk/README.md 1"),
  complete("source/sycl/README.md 1"),
  complete("source/algorithms/README.md 1"),
  complete("source/algorithms/README.md 2"),
  complete("source/algorithms/README.md 3"),
  complete("source/algorithms/README.md 4"),
  typed("source/vitest/README.md 1"),
  complete("docs/how-to/use-in-a-browser.md 1"),
  typed("docs/how-to/use-in-a-browser.md 2"),
  complete("source/muxkit/README.md 2"),
  typed(
    "docs/how-to/import-kernels.md 1",
    'import { openDevice } from "muxkit/runtime";',
    "const device = await openDevice();",
    "const range = 4;",
    "const [x, y] = [device.array(Float32Array, 4), device.array(Float32Array, 4)];",
  ),
  typed("modules/abacus/README.md 1", "const x = Float32Array.of(1, 2, 3, 4);"),
  complete("modules/abacus/README.md 2"),
  typed(
    "modules/hal/README.md 1",
    'import { ok } from "@muxkit/cargo";',
    'import type { HalDevice } from "@muxkit/hal";',
    "declare const MyDevice: new () => HalDevice;",
  ),
  typed(
    "docs/how-to/use-spirv.md 1",
    'import type { Context, Device } from "muxkit/opencl";',
    "declare const device: Device;",
    "declare const context: Context;",
    "declare const bytes: Uint8Array;",
  ),
  typed(
    "docs/how-to/use-spirv.md 2",
    'import { type Device, type Program, clGetProgramBuildInfo } from "muxkit/opencl";',
    "declare const device: Device;",
    "declare const program: Program;",
  ),
  complete("modules/spirv/README.md 1"),
  typed(
    "modules/loader/README.md 1",
    'import { compilerForDevice, loadCompilerLibrary } from "@muxkit/loader";',
    'import type { MuxDeviceInfo } from "@muxkit/mux";',
    "declare const deviceInfo: MuxDeviceInfo;",
  ),
  typed(
    "modules/mux/README.md 1",
    'import { hostTarget } from "@muxkit/host";',
    'import { MuxDeviceType, muxGetDeviceInfos, registerTarget } from "@muxkit/mux";',
  ),
  typed(
    "modules/unitkernel/README.md 1",
    'import type { KernelSetup } from "@muxkit/unitkernel";',
    'declare const myTarget: KernelSetup["target"];',
    'declare const myCompiler: KernelSetup["compiler"];',
  ),
  typed(
    "modules/unitmux/README.md 1",
    'import type { UnitMuxSetup } from "@muxkit/unitmux";',
    'declare const myTarget: UnitMuxSetup["target"];',
    'declare const executable: UnitMuxSetup["executable"];',
  ),
  typed(
    "modules/vecz/README.md 1",
    'import type { IrFunction } from "@muxkit/ir";',
    'import type { VectorizeRequest } from "@muxkit/vecz";',
    "declare const fn: IrFunction;",
    "declare const request: VectorizeRequest;",
    "declare const use: (fn: IrFunction) => void;",
    "declare const report: (refusal: string) => void;",
  ),
  typed(
    "modules/work-item-lowering/README.md 1",
    'import type { PassContext } from "@muxkit/passes";',
    'import type { MachineTarget } from "@muxkit/machine-target";',
    'import type { Module } from "@muxkit/ir";',
    "declare const finalized: Module;",
    "declare const MY_MACHINE: MachineTarget;",
    "declare const library: PassContext;",
  ),
  typed("modules/x64/README.md 1", 'import type { Module } from "@muxkit/ir";', "declare const module: Module;"),
  typed("modules/ptx/README.md 1", 'import type { Module } from "@muxkit/ir";', "declare const module: Module;"),
  typed("modules/cuda/README.md 1"),
  typed("modules/ptx-interpreter/README.md 1"),
  typed("modules/cuda-compiler/README.md 1"),
  complete("modules/x64-assembler/README.md 1"),
  typed(
    "modules/x64-runtime/README.md 1",
    "declare const folder: string;",
    "declare const wasmMemory: WebAssembly.Memory;",
    "declare const code: Uint8Array;",
  ),
];
