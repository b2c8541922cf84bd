// SPDX-License-Identifier: Apache-2.0
// Finding a compiler, loading one, and having none.
import { hostDeviceInfo } from "@muxkit/host";
import { HOST_COMPILER } from "@muxkit/host-compiler";
import { NO_COMPILER, compilerForDevice, loadCompilerLibrary } from "@muxkit/loader";
import { expect, test } from "vitest";

const host = hostDeviceInfo({}, 1);

test("the first compiler that supports the device is taken", () => {
  const never = { ...HOST_COMPILER, name: "never", supports: () => false };
  const other = { ...HOST_COMPILER, name: "other" };
  expect(compilerForDevice({ compilers: [never, other, HOST_COMPILER] }, host)?.name).toBe("other");
  expect(compilerForDevice({ compilers: [never] }, host)).toBeNull();
});

test("no compiler is a legal library", async () => {
  expect(compilerForDevice(NO_COMPILER, host)).toBeNull();
  expect(await loadCompilerLibrary("")).toEqual({ ok: true, value: NO_COMPILER });
});

test("a library is loaded by name", async () => {
  const library = await loadCompilerLibrary("@muxkit/host-compiler");
  if (!library.ok) throw new Error(library.error);
  expect(compilerForDevice(library.value, host)?.name).toBe(HOST_COMPILER.name);
});

const from = (module: unknown) => loadCompilerLibrary("some-compiler", () => Promise.resolve(module));

test("a module that is no compiler library is reported by name", async () => {
  expect(await loadCompilerLibrary("no-such-package-anywhere")).toMatchObject({
    ok: false,
    error: expect.stringMatching(/^the compiler "no-such-package-anywhere" cannot be loaded: /u),
  });
  expect(await from({})).toEqual({
    ok: false,
    error: '"some-compiler" is no compiler library: it exports no array "compilers"',
  });
  expect(await from(null)).toMatchObject({ ok: false });
  expect(await from({ compilers: [{ name: "half" }] })).toEqual({
    ok: false,
    error: '"some-compiler" is no compiler library: an entry of "compilers" has no name, supports or createContext',
  });
});
