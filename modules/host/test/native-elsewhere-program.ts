// SPDX-License-Identifier: Apache-2.0
// A program of `native-elsewhere.test.ts`: loads a kernel that is there as WebAssembly and as machine code, runs it on
// all threads, and tells which of the two that was, and what the device says of it.
import { LoadedExecutable } from "../source/loaded-executable.ts";
import { nativeStatus } from "../source/native-status.ts";
import { openCore, words, workersUp } from "./core-rig.ts";
import { argument, kernel, testImage, variant } from "./executable-rig.ts";
import { NATIVE_KERNELS } from "./native-kernels.ts";

const GROUPS = 1000;
const rig = openCore({ native: "auto", threads: 2 });
const fill = kernel("fill", [argument("out", "pointer", 0), argument("value", "value", 4)], {
  variants: [variant("fill"), variant("fill", { section: ".x64.3", engineFeatures: ["x64.3"] })],
});
const features = rig.core.settings.parts.native?.features("auto", "x64.4") ?? [];
const loaded = LoadedExecutable.load(
  rig.core,
  testImage({
    code: [...testImage().code, { name: ".x64.3", bytes: NATIVE_KERNELS, features: ["x64.3"], patches: [] }],
    kernels: [fill],
  }),
  null,
);
if (!loaded.ok) throw new Error(loaded.error.message);
const [code] = loaded.value.kernel("fill")?.variants ?? [];
if (code === undefined) throw new Error("no variant of the kernel can run");
const out = words(rig, GROUPS);
await workersUp(rig);
const failure = rig.run([
  rig.launch("empty", GROUPS, [out.address, 7], { kernel: code, cost: { perItem: 1e9, measured: true } }),
]);
const isRight = out.view().every((value, n) => value === n + 7);
rig.core.close();
console.log(
  JSON.stringify({
    failure,
    isRight,
    section: code.variant.section,
    features,
    ...nativeStatus({ engine: { native: "auto" } }),
  }),
);
