/**
 * Builds and runs kernels for tests, without a runtime around them.
 *
 * @packageDocumentation
 */
export { build, type BuildOptions } from "./build.ts";
export { generateKernels } from "./generate-kernels.ts";
export { type KernelCase, readCase, writeCase } from "./case-file.ts";
export { Machine, type MachineArgument } from "./machine.ts";
export { type DifferentialArgument, type DifferentialLaunch, type ElementKind, type Outcome, firstDifference, runEveryWay, runReference } from "./differential.ts";
