// SPDX-License-Identifier: Apache-2.0
// The code of a program on a GPU: its module, and that of its kernels as they can be stopped, which is compiled when it
// is asked for.
import { type Result, err, ok } from "@muxkit/cargo";
import type { KernelMetadata, VariantMetadata } from "@muxkit/metadata";

import { type CodeCache, loadCode } from "./code-cache.ts";
import { MOST_ITEMS } from "./device-info.ts";
import type { CudaGpu, DriverError, Handle } from "./driver.ts";
import type { KernelCode } from "./kernel.ts";
import { type CoarseLaunches, type GroupedCode, takesAnyGroups } from "./regrouped.ts";
import { STOPPABLE, hasVariables, stoppablePtx } from "./stoppable-ptx.ts";

/** Modules of a program. */
export class ProgramCode {
  private readonly gpu: CudaGpu;
  private readonly ptx: Uint8Array;
  private readonly cache: CodeCache | null;
  private readonly module: Handle;
  /** The module with the kernels that can be stopped; null: it was not asked for. */
  private stoppable: Handle | null;

  private constructor(
    gpu: CudaGpu,
    ptx: Uint8Array,
    cache: CodeCache | null,
    module: Handle,
    stoppable: Handle | null,
  ) {
    this.gpu = gpu;
    this.ptx = ptx;
    this.cache = cache;
    this.module = module;
    this.stoppable = stoppable;
  }

  /**
   * Loads a program. Kernels that share variables are in one module, stoppable or not: there `mayStop` says whether the
   * driver stops kernels at all.
   */
  static load(
    gpu: CudaGpu,
    ptx: Uint8Array,
    cache: CodeCache | null,
    mayStop: boolean,
  ): Result<ProgramCode, DriverError> {
    const isWhole = mayStop && hasVariables(new TextDecoder().decode(ptx));
    const text = isWhole ? stoppableText(ptx) : ptx;
    const module = loadCode(gpu, text, cache);
    return module.ok ? ok(new ProgramCode(gpu, ptx, cache, module.value, isWhole ? module.value : null)) : module;
  }

  /** A code of a kernel, and the groups that it runs in. */
  private form(variant: VariantMetadata): Result<GroupedCode, DriverError> {
    const entry = this.gpu.entry(this.module, variant.functionName);
    if (!entry.ok) return entry;
    const most = this.gpu.mostItems(entry.value);
    if (!most.ok) return most;
    const mostItems = Math.min(MOST_ITEMS, most.value);
    return ok({ entry: entry.value, mostItems, takesAnyGroups: takesAnyGroups(variant) });
  }

  /** A kernel with the form in which a thread does several work-items, where it has one. */
  kernel({ name, variants }: KernelMetadata, limits: CoarseLaunches): Result<KernelCode, DriverError> {
    const [first] = variants;
    const form = variants.find(({ vectorWidth }) => vectorWidth > 1);
    if (first === undefined) return err({ code: 0, message: `kernel ${name} has no code` });
    const plain = this.form(first);
    if (!plain.ok) return plain;
    const stoppable = this.stoppableOf(first.functionName, plain.value.mostItems);
    if (form === undefined) return ok({ ...plain.value, stoppable });
    const coarse = this.form(form);
    return coarse.ok
      ? ok({ ...plain.value, coarse: { ...coarse.value, items: form.vectorWidth, limits }, stoppable })
      : coarse;
  }

  /** What finds a kernel that can be stopped, once. */
  private stoppableOf(name: string, mostItems: number): KernelCode["stoppable"] {
    let known: Handle | null = null;
    return () => {
      if (known !== null) return ok(known);
      const found = this.stoppableEntry(name, mostItems);
      if (found.ok) known = found.value;
      return found;
    };
  }

  private stoppableEntry(name: string, mostItems: number): Result<Handle, DriverError> {
    const { gpu } = this;
    if (this.stoppable === null) {
      const module = loadCode(gpu, stoppableText(this.ptx), this.cache);
      if (!module.ok) return module;
      this.stoppable = module.value;
    }
    const entry = gpu.entry(this.stoppable, `${name}${STOPPABLE}`);
    if (!entry.ok) return entry;
    const most = gpu.mostItems(entry.value);
    if (!most.ok) return most;
    if (most.value >= mostItems) return entry;
    const message = `as a kernel that can be stopped it runs in groups of at most ${most.value} work-items`;
    return err({ code: 0, message });
  }

  /** Forgets the modules. */
  unload(): void {
    this.gpu.unload(this.module);
    if (this.stoppable !== null && this.stoppable !== this.module) this.gpu.unload(this.stoppable);
  }
}

function stoppableText(ptx: Uint8Array): Uint8Array {
  return new TextEncoder().encode(stoppablePtx(new TextDecoder().decode(ptx)));
}
