// SPDX-License-Identifier: Apache-2.0
// The store of programs: files with a seal behind them, which says that a process of this user has verified the machine
// code in them. It is a keyed hash (HMAC-SHA-256) of the name and the bytes, so whoever can write to the folder, but
// has not the key, cannot have code run unverified. Files without such code need none: theirs is all zeros.
import type { Environment } from "@muxkit/cargo";

import { DiskStore, type DiskStoreOptions } from "./disk-store.ts";
import { sealKey } from "./seal-key.ts";

const SEAL_BYTES = 32;
const NO_SEAL = new Uint8Array(SEAL_BYTES);

const crypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");

/** See the file's head. */
export class SealedStore extends DiskStore {
  readonly #env: Environment;
  /** Seals of what was read, by the arrays that were returned. */
  readonly #seals = new WeakMap<Uint8Array, Uint8Array>();
  /** Absent: not looked for yet; null: there is none. */
  #key: Uint8Array | null | undefined;

  /** `env` says where the key is. */
  constructor(folder: string, env: Environment, options: DiskStoreOptions = {}) {
    super(folder, options);
    this.#env = env;
  }

  override peek(name: string): Uint8Array | null {
    const file = super.peek(name);
    if (file === null || file.length < SEAL_BYTES) return null;
    const bytes = file.subarray(0, -SEAL_BYTES);
    this.#seals.set(bytes, file.subarray(-SEAL_BYTES));
    return bytes;
  }

  override write(name: string, bytes: Uint8Array, isVerified: boolean = false): void {
    const file = new Uint8Array(bytes.length + SEAL_BYTES);
    file.set(bytes);
    file.set((isVerified ? this.#sealOf(name, bytes, true) : null) ?? NO_SEAL, bytes.length);
    super.write(name, file);
  }

  /** True for bytes that were read under a name and whose seal is this user's. */
  isVerified(name: string, bytes: Uint8Array): boolean {
    const seal = this.#seals.get(bytes);
    const own = seal === undefined ? null : this.#sealOf(name, bytes, false);
    return seal !== undefined && own !== null && crypto().timingSafeEqual(seal, own);
  }

  #sealOf(name: string, bytes: Uint8Array, mayMake: boolean): Uint8Array | null {
    if (this.#key === undefined || (this.#key === null && mayMake)) this.#key = sealKey(this.#env, mayMake);
    return this.#key === null
      ? null
      : crypto().createHmac("sha256", this.#key).update(`${name}\0`).update(bytes).digest();
  }
}
