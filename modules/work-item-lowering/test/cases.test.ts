// SPDX-License-Identifier: Apache-2.0
// Each pass of the lowering on small modules. One folder a pass, one file an idea: `idea.ir` goes in, `idea.after.ir`
// comes out, `library.ir` holds built-ins by name. Comments say what the text does not hold: `after: …` passes that run
// before, `local size: X Y Z [uniform] [zero-offset]` the launch, `known: …` an argument of it.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { checkRunLines } from "@muxkit/interpreter";
import { type Module, Op, describeVerifierError, parseModule, printModule, verifyModule } from "@muxkit/ir";
import type { ArgumentFact } from "@muxkit/kernel-abi";
import { type MachineTarget, genericMachine } from "@muxkit/machine-target";
import { EMPTY_CONTEXT, PASSES, type PassContext, runPasses } from "@muxkit/passes";
import { expect, test } from "vitest";

import {
  LOWERING_PASSES,
  LoweringState,
  type Specialization,
  loweringPassList,
  loweringPasses,
} from "@muxkit/work-item-lowering";

const ROOT = join(import.meta.dirname, "cases");
const FOLDERS = readdirSync(ROOT).toSorted();

const CASES = FOLDERS.flatMap((pass) =>
  readdirSync(join(ROOT, pass))
    .filter((name) => name.endsWith(".ir") && !name.endsWith(".after.ir") && name !== "library.ir")
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(ROOT, pass, name), "utf8");
      return {
        pass,
        text,
        idea: /^; (.+)/u.exec(text)?.[1] ?? name,
        after: join(ROOT, pass, `${name.slice(0, -3)}.after.ir`),
      };
    }),
);

function parsed(text: string): Module {
  const result = parseModule(text);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  const broken = verifyModule(result.value);
  if (broken.length > 0) throw new Error(broken.map(describeVerifierError).join("\n"));
  return result.value;
}

/** A machine that lacks what WebAssembly lacks. */
function machineOf({ layout }: Module): MachineTarget {
  const none = { scalar: [], vector: [] };
  return {
    ...genericMachine(layout),
    support: {
      [Op.FMA]: { ...none, libcall: [32, 64] },
      [Op.FREM]: { ...none, libcall: [16, 32, 64] },
      [Op.SMULH]: { ...none, libcall: [64] },
      [Op.UMULH]: { ...none, libcall: [64] },
    },
  };
}

function argumentOf(words: readonly string[]): ArgumentFact | null {
  const [kind, first, second] = words;
  if (kind === "sampler") return { kind, bits: Number(first) };
  return kind === "image" ? { kind, order: Number(first), channelType: Number(second) } : null;
}

function launchOf(text: string): Specialization | null {
  const size = /^; local size: (\d+) (\d+) (\d+)(.*)/mu.exec(text);
  const known = [...text.matchAll(/^; known: (.*)/gmu)].map(([, words = ""]) => argumentOf(words.split(" ")));
  if (size === null && known.length === 0) return null;
  const [, x = 1, y = 1, z = 1, rest = ""] = size ?? [];
  return {
    localSize: [Number(x), Number(y), Number(z)],
    uniformGroups: rest.includes("uniform"),
    zeroOffset: rest.includes("zero-offset"),
    ...(known.length === 0 ? {} : { arguments: known }),
  };
}

function contextOf(pass: string, state: LoweringState): PassContext {
  const file = join(ROOT, pass, "library.ir");
  const library = existsSync(file) ? parsed(readFileSync(file, "utf8")) : null;
  return {
    ...EMPTY_CONTEXT,
    machine: state.request.machine,
    passes: loweringPasses(state),
    resolveBuiltin: ({ name, parameters }) => library?.functions.get(`${name}(${parameters.join(",")})`) ?? null,
  };
}

function stateOf(module: Module, text: string): LoweringState {
  return new LoweringState({
    machine: machineOf(module),
    optimize: true,
    specialization: launchOf(text),
    vectorization: () => "always",
    programLayout: null,
    layoutBase: null,
  });
}

test.each(CASES)("$pass: $idea", async ({ pass, text, after }) => {
  const module = parsed(text);
  const state = stateOf(module, text);
  const context = contextOf(pass, state);
  const first = /^; after: (.*)/mu.exec(text)?.[1]?.split(" ") ?? [];
  runPasses(module, first, context, { verifyEach: true });
  runPasses(module, [pass], context, { verifyEach: true });
  expect(checkRunLines(module, text)).toEqual({ ok: true, value: [] });
  await expect(printModule(module, { names: true })).toMatchFileSnapshot(after);
});

test.each(CASES)("$pass runs on the text that the passes before it wrote: $idea", ({ pass, text }) => {
  const module = parsed(text);
  const state = stateOf(module, text);
  const first = /^; after: (.*)/mu.exec(text)?.[1]?.split(" ") ?? [];
  runPasses(module, first, contextOf(pass, state), { verifyEach: true });
  // What passes before it have found is in the text, or is found again.
  const again = parsed(printModule(module));
  const run = (): void => runPasses(again, [pass], contextOf(pass, stateOf(again, text)), { verifyEach: true });
  expect(run).not.toThrow();
});

const WIDE = `module "m" pointers 8 8 8 8 8 size_t 64
global @k.tile: [64 x i32] local align 4
kernel @k(%x: ptr<global>, %n: i64, %scratch: ptr<local>) {
  argument "x" "int*" pointer global size 8 align 8
  argument "n" "long" value private size 8 align 8
  argument "scratch" "int*" local local size 0 align 4
^0:
  %l = local_id 0: i32: i64
  %i = global_id 0: i32: i64
  %p = address %x, %i {scale 4}: ptr<global>
  %v = load %p {align 4}: i32
  %tile = global_address @k.tile: ptr<local>
  %q = address %tile, %l {scale 4}: ptr<local>
  store %v, %q {align 4}
  barrier {work_group, semantics 0}
  %w = load %scratch {align 4}: i32
  %COLLECTIVE
  %c = slt %l, %n: i1
  cond_br %c, ^then, ^end
^then:
  BARRIER
  br ^end
^end:
  store %s, %p {align 4}
  ret
}
`;

const COLLECTIVES = [
  "s = group_reduce %v {add, work_group}: i32",
  "s = group_scan_exclusive %v {smax, work_group}: i32",
  "s = group_reduce %v {add, sub_group}: i32",
  "s = group_broadcast %v, %w {sub_group}: i32",
  "s = add %v, %w: i32",
];

test.each(
  COLLECTIVES.flatMap((collective) =>
    ["br ^on\n^on:", "barrier {work_group, semantics 0}"].flatMap((barrier) =>
      [true, false].map((optimize) => ({ collective, barrier, optimize })),
    ),
  ),
)(
  "the whole list for pointers of 64 bits: $collective, $barrier, optimised: $optimize",
  ({ collective, barrier, optimize }) => {
    const module = parsed(WIDE.replace("COLLECTIVE", collective).replace("BARRIER", barrier));
    const state = new LoweringState({ ...stateOf(module, "").request, optimize });
    runPasses(module, loweringPassList({ optimize, hasKnownArguments: false }), contextOf("", state), {
      verifyEach: true,
    });
    expect(module.functions.get("k")?.convention.kind).toBe("kernel_entry");
  },
);

test("each pass has documentation, a name of its own and a folder of cases, and each folder a pass", () => {
  expect(LOWERING_PASSES.filter(({ doc }) => !doc.endsWith(".")).map(({ name }) => name)).toEqual([]);
  expect(FOLDERS).toEqual(LOWERING_PASSES.map(({ name }) => name).toSorted());
  const names = [...LOWERING_PASSES, ...PASSES].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("the pass list names passes that there are, and every pass of the lowering but one that another runs", () => {
  const lists = [true, false].flatMap((optimize) =>
    [true, false].map((hasKnownArguments) => loweringPassList({ optimize, hasKnownArguments })),
  );
  const names = new Set([...LOWERING_PASSES, ...PASSES].map(({ name }) => name));
  for (const list of lists) expect(list.filter((name) => !names.has(name))).toEqual([]);
  const used = new Set(lists.flat());
  // `link-library` expands libcalls until none is left.
  expect(LOWERING_PASSES.map(({ name }) => name).filter((name) => !used.has(name))).toEqual(["expand-libcalls"]);
});
