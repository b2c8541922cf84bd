// SPDX-License-Identifier: Apache-2.0
// SPIR 1.2: LLVM bitcode to the IR. What kernels compute is asked by the suite (MUXKIT_SUITE_SPIR=O0|O2) and by the
// tests of clCreateProgramWithBinary; here are the forms of a file, and files that lie.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { LAYOUT_32, LAYOUT_64, type Module, printModule, verifyModule } from "@muxkit/ir";
import { isBitcode, readSpir } from "@muxkit/spirv";
import { describe, expect, test } from "vitest";

import { hasTool } from "./debian.ts";
import { BITCODE, fuzz } from "./fuzz.ts";

const FILE = new Uint8Array(readFileSync(new URL("bitcode/kernels.bc", import.meta.url)));

const OPTIONS = { name: "test", specialization: new Map(), floatFlags: 0, uniformWorkGroups: false };

function read(bytes: Uint8Array, layout: typeof LAYOUT_32 = LAYOUT_32): Module | string {
  const result = readSpir(bytes, { ...OPTIONS, layout });
  return result.ok ? result.value : `bit ${result.error.bit}: ${result.error.message}`;
}

function moduleOf(bytes: Uint8Array, layout: typeof LAYOUT_32 = LAYOUT_32): Module {
  const module = read(bytes, layout);
  if (typeof module === "string") throw new Error(module);
  return module;
}

/** A file with a wrapper around its bitcode. */
function wrapped(bytes: Uint8Array, size: number = bytes.length): Uint8Array {
  const header = new Uint8Array(20);
  const view = new DataView(header.buffer);
  for (const [index, word] of [0x0b17c0de, 0, 20, size, 0].entries()) view.setUint32(index * 4, word, true);
  return Uint8Array.from([...header, ...bytes]);
}

/** Compiles by a tool of Debian. */
function compiled(tool: string, extension: string, text: string, ...options: string[]): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-bitcode-"));
  try {
    const [source, target] = [join(folder, `a.${extension}`), join(folder, "a.bc")];
    writeFileSync(source, text);
    execFileSync(tool, [...options, source, "-o", target], { stdio: "pipe" });
    return new Uint8Array(readFileSync(target));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("a file of clang", () => {
  test("its kernels, their arguments and their work-groups are those of the source", () => {
    const module = moduleOf(FILE);
    expect(verifyModule(module)).toEqual([]);
    const kernel = module.functions.get("sums");
    expect(kernel?.name).toBe("sums");
    expect(kernel?.kernel?.requiredWorkGroupSize).toEqual([4, 1, 1]);
    expect(kernel?.kernel?.arguments.map(({ name, typeName }) => `${typeName} ${name}`)).toEqual([
      "int* out",
      "pair value",
      "int* scratch",
      "int n",
    ]);
  });

  test("a wrapper changes nothing", () => {
    expect(isBitcode(FILE)).toBe(true);
    expect(isBitcode(wrapped(FILE))).toBe(true);
    expect([...moduleOf(wrapped(FILE)).functions.keys()]).toEqual([...moduleOf(FILE).functions.keys()]);
  });
});

describe("files that lie", () => {
  test.each([
    ["the wrapper says too much", wrapped(FILE, FILE.length + 4), /^bit 64: the wrapper says that bitcode is at 20/u],
    ["no bitcode", Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), /^bit 0: LLVM bitcode does not begin here$/u],
    ["nothing behind the magic number", FILE.subarray(0, 4), /there is no module in this bitcode$/u],
    ["a block ends too early", FILE.subarray(0, 400), /the stream has less left$/u],
  ])("%s", (_, bytes, message) => {
    expect(read(bytes)).toMatch(message);
  });

  test("every length gives one sentence with a bit, or the module", () => {
    for (let length = 0; length < FILE.length; length += 37)
      expect(read(FILE.slice(0, length))).toMatch(/^bit \d+: \S.*[^.]$/u);
  });

  test("300 changed files: each is read or refused", () => {
    const { byRule, failures } = fuzz(300, 1, BITCODE);
    expect(failures).toEqual([]);
    expect(Object.keys(byRule).length).toBeGreaterThan(15);
  });
});

describe.skipIf(!hasTool("clang-14"))("clang 14", () => {
  const OPENCL = ["-x", "cl", "-w", "-Xclang", "-finclude-default-header", "-emit-llvm", "-c"];

  test.each([
    ["spir", "-O0", LAYOUT_32],
    ["spir", "-O2", LAYOUT_32],
    ["spir64", "-O0", LAYOUT_64],
    ["spir64", "-O2", LAYOUT_64],
  ] as const)("images, samplers, generic pointers and recursive structures: %s %s", (target, level, layout) => {
    const text = `
      struct node { int value; global struct node* next; };
      constant sampler_t fixed = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
      int through(int* any) { return *any; }
      kernel void k(read_only image2d_t a, write_only image2d_t b, sampler_t s, global struct node* list,
                    global int* out) {
        int2 at = (int2)(get_global_id(0), 0);
        write_imagef(b, at, read_imagef(a, s, at) + read_imagef(a, fixed, at));
        int own = list->next->value;
        out[at.x] = through(&own) + through(out + 1) + popcount(own) + (own < 3 && out[2] > 1);
        int* any = out;
        if (at.y) any = &own;
        out[5] = (to_global(any) != 0) + *to_private(any) + (to_local(any) != 0) + get_fence(any);
      }`;
    const module = moduleOf(
      compiled("clang-14", "cl", text, ...OPENCL, "-cl-std=CL2.0", "-target", target, level),
      layout,
    );
    expect(verifyModule(module)).toEqual([]);
    expect(module.functions.get("k")?.kernel?.arguments.length).toBe(5);
  });

  test("a size of sub-groups", () => {
    const text = "__attribute__((intel_reqd_sub_group_size(4))) kernel void k(global int* out) { out[0] = 1; }";
    const module = moduleOf(compiled("clang-14", "cl", text, ...OPENCL, "-target", "spir"));
    expect(module.functions.get("k")?.kernel?.requiredSubGroupSize).toBe(4);
  });

  test.each(["-O0", "-O2"])("pipes and reservations: %s", (level) => {
    const text = `
      kernel void k(write_only pipe int to, read_only pipe float from, global int* out) {
        int v = 1;
        float f;
        reserve_id_t id = reserve_write_pipe(to, 2);
        out[0] = is_valid_reserve_id(id) + is_valid_reserve_id(CLK_NULL_RESERVE_ID);
        out[1] = write_pipe(to, id, 1, &v) + read_pipe(from, &f);
        commit_write_pipe(to, id);
        reserve_id_t all = work_group_reserve_read_pipe(from, 3);
        work_group_commit_read_pipe(from, all);
        sub_group_commit_write_pipe(to, sub_group_reserve_write_pipe(to, 4));
        out[2] = get_pipe_num_packets(to) + get_pipe_max_packets(from);
      }`;
    const features = ["__opencl_c_pipes", "__opencl_c_generic_address_space", "cl_khr_subgroups"];
    const extensions = `-cl-ext=${features.map((name) => `+${name}`).join(",")}`;
    const options = [...OPENCL, "-cl-std=CL3.0", "-target", "spir", "-Xclang", extensions, level];
    const module = moduleOf(compiled("clang-14", "cl", text, ...options));
    expect(verifyModule(module)).toEqual([]);
    const [to, from] = module.functions.get("k")?.kernel?.arguments ?? [];
    expect([to?.kind, to?.access, from?.kind, from?.access]).toEqual(["pipe", "write_only", "pipe", "read_only"]);
    const names = [...printModule(module).matchAll(/call_builtin (\w+\([^)]*\))/gu)].map(([, name]) => name);
    const wanted = new Set([
      "commit_write_pipe(pipe, reserve_id_t, uint, uint)",
      "get_pipe_max_packets(pipe, uint, uint)",
      "get_pipe_num_packets(pipe, uint, uint)",
      "is_valid_reserve_id(reserve_id_t)",
      "read_pipe(pipe, void*, uint, uint)",
      "reserve_write_pipe(pipe, uint, uint, uint)",
      "sub_group_commit_write_pipe(pipe, reserve_id_t, uint, uint)",
      "sub_group_reserve_write_pipe(pipe, uint, uint, uint)",
      "work_group_commit_read_pipe(pipe, reserve_id_t, uint, uint)",
      "work_group_reserve_read_pipe(pipe, uint, uint, uint)",
      "write_pipe(pipe, reserve_id_t, uint, void*, uint, uint)",
    ]);
    expect(new Set(names.filter((name) => /pipe|reserve_id/u.test(name ?? "")))).toEqual(wanted);
  });

  test.skipIf(!hasTool("llvm-as-14"))("kernels that opencl.kernels lists, as SPIR 1.2 does", () => {
    const text = `
      target triple = "spir-unknown-unknown"
      define spir_kernel void @k(i32 addrspace(1)* %out) {
        store i32 7, i32 addrspace(1)* %out, align 4
        ret void
      }
      !opencl.kernels = !{!0}
      !0 = !{void (i32 addrspace(1)*)* @k, !1, !2, !3}
      !1 = !{!"kernel_arg_type", !"uint*"}
      !2 = !{!"kernel_arg_name", !"listed"}
      !3 = !{!"reqd_work_group_size", i32 8, i32 2, i32 1}`;
    const kernel = moduleOf(compiled("llvm-as-14", "ll", text)).functions.get("k")?.kernel;
    expect(kernel?.requiredWorkGroupSize).toEqual([8, 2, 1]);
    expect(kernel?.arguments.map(({ name, typeName }) => `${typeName} ${name}`)).toEqual(["uint* listed"]);
  });

  test.skipIf(!hasTool("llvm-as-14")).each([
    ["i8 7, i64 12", /^$/u],
    ["i8 -1, i64 12", /^$/u],
    ["i8 0, i64 4096", /^$/u],
    ["i8 1, i64 65001", /llvm\.memset is read where value and size are constants, and the size of others than zeros/u],
    ["i8 %value, i64 12", /llvm\.memset is read where value and size are constants/u],
  ])("memory is filled: %s", (fill, problem) => {
    const text = `
      target triple = "spir64-unknown-unknown"
      declare void @llvm.memset.p1i8.i64(i8 addrspace(1)*, i8, i64, i1)
      define spir_kernel void @k(i8 addrspace(1)* %out, i8 %value) {
        call void @llvm.memset.p1i8.i64(i8 addrspace(1)* align 4 %out, ${fill}, i1 false)
        ret void
      }`;
    const module = read(compiled("llvm-as-14", "ll", text), LAYOUT_64);
    expect(
      typeof module === "string"
        ? module
        : verifyModule(module)
            .map(({ message }) => message)
            .join("\n"),
    ).toMatch(problem);
  });

  test.skipIf(!hasTool("llvm-as-14"))("elements behind a generic address that is a constant", () => {
    const first = "[4 x i32], [4 x i32] addrspace(3)* @shared, i32 0, i32 1";
    const generic = `addrspacecast (i32 addrspace(3)* getelementptr (${first}) to i32 addrspace(4)*)`;
    const text = `
      target triple = "spir-unknown-unknown"
      @shared = internal addrspace(3) global [4 x i32] undef, align 4
      define spir_kernel void @k() {
        store i32 7, i32 addrspace(4)* getelementptr (i32, i32 addrspace(4)* ${generic}, i32 2), align 4
        ret void
      }`;
    const module = moduleOf(compiled("llvm-as-14", "ll", text));
    expect(verifyModule(module)).toEqual([]);
    expect(printModule(module)).toMatch(/%1 = address %0 \{offset 12\}.*\n.*addrspacecast %1: ptr<generic>/u);
  });

  test.skipIf(!hasTool("clang-15"))("pointers without types are refused with a sentence", () => {
    const text = "kernel void k(global int* out) { out[0] = 1; }";
    const bytes = compiled("clang-15", "cl", text, ...OPENCL, "-target", "spir", "-Xclang", "-opaque-pointers");
    expect(read(bytes)).toMatch(/^bit \d+: pointers without types are not read: LLVM 14 or older writes them/u);
  });
});
