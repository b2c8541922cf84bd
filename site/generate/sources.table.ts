// SPDX-License-Identifier: Apache-2.0
// Which documents of the repository become pages of the site, where, and how a sidebar calls them.

/** A document that becomes a page. */
export interface SourceRow {
  /** From the root of the repository. */
  readonly source: string;
  /** Its address on the site, without `.html`; `…/index` is that of a folder. */
  readonly page: string;
  readonly text: string;
  /** Its group in the sidebar of its section. */
  readonly group: string;
}

const row = (source: string, page: string, text: string, group: string): SourceRow => ({ source, page, text, group });

/** All of them but the decisions and packages, which are found by their files; in the order of the sidebars. */
export const SOURCE_ROWS: readonly SourceRow[] = [
  row("docs/how-to/use-in-a-browser.md", "guides/use-in-a-browser", "Use it in a browser", "JavaScript"),
  row("docs/how-to/import-kernels.md", "guides/import-kernels", "Import kernels as modules", "JavaScript"),
  row("docs/typescript-kernels.md", "guides/typescript-kernels", "Write kernels in TypeScript", "JavaScript"),
  row("docs/cuda.md", "guides/nvidia-gpus", "Run on NVIDIA GPUs", "JavaScript"),
  row("docs/how-to/port-without-a-compiler.md", "guides/port-without-a-compiler", "Ship without a compiler", "OpenCL"),
  row("docs/how-to/compile-and-link.md", "guides/compile-and-link", "Compile and link ahead of time", "OpenCL"),
  row("docs/how-to/use-spirv.md", "guides/use-spirv", "Use SPIR-V", "OpenCL"),
  row("docs/how-to/call-kernels-from-c.md", "guides/call-kernels-from-c", "Call kernels from C", "OpenCL"),
  row("docs/how-to/add-a-target.md", "guides/add-a-target", "Add a target", "Hardware"),
  row("docs/how-to/add-a-cpu-code-generator.md", "guides/add-a-cpu-code-generator", "Add a code generator", "Hardware"),
  row("docs/how-to/add-an-op.md", "guides/add-an-op", "Add an op", "Contributors"),
  row("docs/how-to/add-a-pass.md", "guides/add-a-pass", "Add a pass", "Contributors"),
  row("docs/how-to/add-a-built-in.md", "guides/add-a-built-in", "Add a built-in", "Contributors"),
  row("docs/how-to/add-a-diagnostic.md", "guides/add-a-diagnostic", "Add a diagnostic", "Contributors"),
  row("docs/how-to/add-an-entry-point.md", "guides/add-an-entry-point", "Add an entry point", "Contributors"),
  row("docs/how-to/add-an-extension.md", "guides/add-an-extension", "Add an extension", "Contributors"),
  row("docs/diagnostics.md", "reference/diagnostics", "Diagnostics", "OpenCL C"),
  row("docs/extensions.md", "reference/extensions", "Extensions", "OpenCL C"),
  row("docs/spirv.md", "reference/spirv", "SPIR-V", "Formats and APIs"),
  row("docs/spirv-validation.md", "reference/spirv-validation", "Rules of SPIR-V", "Formats and APIs"),
  row("docs/vulkan.md", "reference/vulkan-calls", "Calls of Vulkan", "Formats and APIs"),
  row("docs/sycl-modules.md", "reference/sycl-modules", "Modules of SYCL", "Formats and APIs"),
  row("docs/mux-reference.md", "reference/mux-calls", "Calls of the runtime", "Formats and APIs"),
  row("ARCHITECTURE.md", "internals/index", "Architecture", "The map"),
  row("docs/glossary.md", "internals/glossary", "Glossary", "The map"),
  row("CONTRIBUTING.md", "internals/contributing", "Contributing", "The map"),
  row("docs/internals/compiler.md", "internals/compiler", "Compiler", "Parts"),
  row("docs/internals/vectoriser.md", "internals/vectoriser", "Vectoriser", "Parts"),
  row("docs/internals/runtime.md", "internals/runtime", "Runtime", "Parts"),
  row("docs/internals/native-driver.md", "internals/native-driver", "Native driver", "Parts"),
  row("docs/internals/testing.md", "internals/testing", "Testing", "Parts"),
  row("docs/ir.md", "internals/ir", "IR", "Contracts"),
  row("docs/kernel-abi.md", "internals/kernel-abi", "Kernel ABI", "Contracts"),
  row("docs/executable-format.md", "internals/executable-format", "Executables", "Contracts"),
  row("docs/vectoriser.md", "internals/vectoriser-rules", "What the vectoriser takes", "Contracts"),
  row("docs/decisions/README.md", "internals/decisions/index", "All decisions", "Decisions"),
  row("docs/performance.md", "evidence/speed", "Speed", "Evidence"),
  row("docs/algorithms.md", "evidence/algorithms", "Speed of algorithms", "Evidence"),
  row("docs/ulp.md", "evidence/ulp", "Errors of math functions", "Evidence"),
  row("docs/conformance.md", "evidence/conformance", "Conformance", "Evidence"),
  row("docs/real-programs.md", "evidence/programs", "Programs that others wrote", "Evidence"),
  row("docs/clang.md", "evidence/clang", "Beside clang", "Evidence"),
  row("docs/mutants.md", "evidence/mutants", "What the tests notice", "Evidence"),
];

/** A package whose API has a page. */
export interface PackageRow {
  /** Its folder in the repository. */
  readonly folder: string;
  /** The name of its report in `etc/`, which is that of its page too. */
  readonly report: string;
}

/** The packages that users import, most used first. */
export const PACKAGE_ROWS: readonly PackageRow[] = [
  { folder: "source/muxkit", report: "muxkit" },
  { folder: "source/algorithms", report: "algorithms" },
  { folder: "source/vitest", report: "vitest" },
  { folder: "source/cl", report: "opencl" },
  { folder: "source/sycl", report: "sycl" },
  { folder: "source/vk", report: "vulkan" },
  { folder: "modules/abacus", report: "abacus" },
  { folder: "modules/hal", report: "hal" },
  { folder: "modules/mux", report: "mux" },
  { folder: "modules/cuda", report: "cuda" },
  { folder: "modules/spirv", report: "spirv" },
  { folder: "modules/ir", report: "ir" },
];
