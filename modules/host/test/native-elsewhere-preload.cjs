// SPDX-License-Identifier: Apache-2.0
// Makes a process of `native-elsewhere.test.ts` another kind of machine, as MUXKIT_TEST_MACHINE says.
"use strict";

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const { readFileSync, openSync } = fs;
const absent = (path) =>
  Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: "ENOENT" });
const isProc = (path) => typeof path === "string" && path.startsWith("/proc/");

function define(name, value) {
  Object.defineProperty(process, name, { value });
}

function withoutProc() {
  fs.readFileSync = (path, ...rest) => {
    if (isProc(path)) throw absent(path);
    return readFileSync(path, ...rest);
  };
  fs.openSync = (path, ...rest) => {
    if (isProc(path)) throw absent(path);
    return openSync(path, ...rest);
  };
}

/** A processor whose list of features lacks one. */
function withoutFeature(feature) {
  const text = readFileSync("/proc/cpuinfo", "utf8").replaceAll(` ${feature} `, " ");
  const file = `${process.env.MUXKIT_CACHE}.cpuinfo`;
  fs.writeFileSync(file, text);
  fs.openSync = (path, ...rest) => openSync(path === "/proc/cpuinfo" ? file : path, ...rest);
}

function refusing(message) {
  process.dlopen = () => {
    throw new Error(message);
  };
}

/** The first thread loads the file, and the others start later. */
function removing() {
  const { dlopen } = process;
  process.dlopen = (module, path, ...rest) => {
    dlopen.call(process, module, path, ...rest);
    if (path.endsWith(".node")) fs.rmSync(path);
  };
}

const MACHINES = {
  arm: () => define("arch", "arm64"),
  "no proc": withoutProc,
  "no AVX2": () => withoutFeature("avx2"),
  "file is removed": removing,
  noexec: () => refusing("/home/u/bridge.node: failed to map segment from shared object"),
  seccomp: () => refusing("/home/u/bridge.node: cannot open shared object file: Operation not permitted"),
  "another C library": () => refusing("Error relocating /home/u/bridge.node: napi_create_function: symbol not found"),
};

MACHINES[process.env.MUXKIT_TEST_MACHINE]?.();
syncBuiltinESMExports();
