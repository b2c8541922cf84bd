// SPDX-License-Identifier: Apache-2.0
// The kernel ABI as the batched functions write it is that of the package that defines it.
import { DISPATCH, DISPATCH_BYTES, MEMORY_FLAGS, WORKER, WORKER_BYTES } from "@muxkit/kernel-abi";
import { expect, test } from "vitest";

import { ABI } from "../source/kernel.ts";

test("offsets and sizes agree with @muxkit/kernel-abi", () => {
  const { bytes, ...dispatch } = ABI.dispatch;
  expect(DISPATCH).toMatchObject(dispatch);
  expect(bytes).toBe(DISPATCH_BYTES);
  const { bytes: workerBytes, ...worker } = ABI.worker;
  expect(WORKER).toMatchObject(worker);
  expect(workerBytes).toBe(WORKER_BYTES);
  expect(MEMORY_FLAGS).toEqual(ABI.memoryFlags);
});
