// SPDX-License-Identifier: Apache-2.0
/**
 * PTX that was compiled before. The name of what is kept says all that it depends on: the text, the driver and the kind
 * of GPU. Before it stands its digest, because a driver may take damaged code for whole; what does not match, or does
 * not load any more, is compiled anew.
 */
import { createHash } from "node:crypto";

import type { Result } from "@muxkit/cargo";

import type { CudaGpu, DriverError, Handle } from "./driver.ts";

/** Files that later processes find, as the store of built programs is one. No method throws. @public */
export interface CodeStore {
  /** What is kept under a name; null: nothing. */
  read(name: string): Uint8Array | null;
  /** Keeps something. */
  write(name: string, bytes: Uint8Array): void;
}

/** A store, and what its entries for one GPU depend on. */
export interface CodeCache {
  readonly store: CodeStore;
  /** Driver and kind of GPU. */
  readonly machine: string;
}

const DIGEST_BYTES = 32;

function nameOf(ptx: Uint8Array, machine: string): string {
  return `cubin-${createHash("sha256").update(machine).update("\0").update(ptx).digest("hex")}`;
}

/** The digest of code under its name: what was kept under another one does not match. */
function digestOf(name: string, code: Uint8Array): Buffer {
  return createHash("sha256").update(name).update("\0").update(code).digest();
}

/** The code that is kept under a name; null: there is none that is whole. */
function keptCode({ store }: CodeCache, name: string): Uint8Array | null {
  const file = store.read(name);
  if (file === null || file.length <= DIGEST_BYTES) return null;
  const code = file.subarray(DIGEST_BYTES);
  return digestOf(name, code).equals(file.subarray(0, DIGEST_BYTES)) ? code : null;
}

function keep({ store }: CodeCache, name: string, code: Uint8Array): void {
  const file = new Uint8Array(DIGEST_BYTES + code.length);
  file.set(digestOf(name, code));
  file.set(code, DIGEST_BYTES);
  store.write(name, file);
}

/** Loads PTX, by way of the cache where there is one. */
export function loadCode(gpu: CudaGpu, ptx: Uint8Array, cache: CodeCache | null): Result<Handle, DriverError> {
  if (cache === null) return gpu.load(ptx);
  const name = nameOf(ptx, cache.machine);
  const kept = keptCode(cache, name);
  if (kept !== null) {
    const loaded = gpu.load(kept);
    if (loaded.ok) return loaded;
  }
  const compiled = gpu.compile(ptx);
  if (!compiled.ok) return compiled;
  if (compiled.value === null) return gpu.load(ptx);
  const loaded = gpu.load(compiled.value);
  if (loaded.ok) keep(cache, name, compiled.value);
  return loaded;
}
