// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of the kernels of a text, stage by stage; each line has the line of the source it is of.
import { buildProgram, openclC, remarksOf } from "@muxkit/compiler";
import { FINALIZE_PASSES, libraryContext, lowerPipeCalls } from "@muxkit/compiler-base";
import { hostDeviceInfo } from "@muxkit/host";
import { HOST_COMPILER, hostLowering } from "@muxkit/host-compiler";
import { type IrFunction, Labels, type Location, type Module, printFunction } from "@muxkit/ir";
import { runPasses } from "@muxkit/passes";
import { lineDifference } from "@muxkit/report";
import { REFUSALS, chooseWidth, vectorize } from "@muxkit/vecz";
import { type GeneratedModule, WASM_MACHINE, generateModule } from "@muxkit/wasm";

import { type CodeLine, wasmText } from "../explorer/wasm-text.ts";
import { FILE, frontEnd } from "./check.ts";
import type { Explored, PassChange, Requests, TraceLine } from "./protocol.ts";

/** The place that the printer writes after an instruction. */
const PLACE = /\s*loc\("([^"]*)":(\d+):.*\)$/;

/** A printed text as lines with the lines of the source. */
function traced(text: string): readonly TraceLine[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const found = PLACE.exec(line);
      if (found === null) return { text: line, line: 0 };
      return { text: line.slice(0, found.index), line: found[1] === FILE ? Number(found[2]) : 0 };
    });
}

function printed(fn: IrFunction, head: string): readonly TraceLine[] {
  return [{ text: `; ${head}`, line: 0 }, ...traced(printFunction(fn, { locations: true, names: true }))];
}

/** The kernels as functions for several work-items at once, or why they are not. */
function vectorised(module: Module, width: number): readonly TraceLine[] {
  const machine = { ...WASM_MACHINE, layout: module.layout };
  return module.kernels.flatMap((fn) => {
    const lanes = width > 0 ? width : chooseWidth(fn, machine, machine.limits.mostLanes, true);
    if (lanes < 2) return [{ text: `; @${fn.name}: its vectors already have the maximum length`, line: 0 }];
    const result = vectorize(fn, {
      width: lanes,
      machine,
      axis: 0,
      parameters: new Map(),
      isMasked: false,
      returnsVector: false,
      isSubGroup: true,
      isTested: true,
      name: `${fn.name}.v${lanes}`,
      vectorCall: () => null,
    });
    if (!result.ok) {
      const line = result.instruction?.location?.line ?? 0;
      return [
        { text: `; @${fn.name} is not vectorised: ${result.refusal}`, line },
        { text: `; ${REFUSALS[result.refusal].change}`, line },
      ];
    }
    const { general, tested } = result.variants;
    const whole = printed(general.fn, `${lanes} work-items along x; ${(general.cost / lanes).toFixed(1)} each`);
    return tested === null
      ? whole
      : [...whole, ...printed(tested.fn, `where all are inside of the bounds, without masks`)];
  });
}

/** Runs the passes of a build and says which lines each has changed; the module is lowered then. */
function passByPass(module: Module): { readonly passes: readonly PassChange[]; readonly lowered: Module } {
  const labels = new Labels();
  const text = (): readonly string[] =>
    [...module.functions.values()]
      .filter(({ blocks }) => blocks.length > 0)
      .flatMap((fn) => printFunction(fn, { labels }).trimEnd().split("\n"));
  const lowering = hostLowering({ layout: module.layout, specialization: null, vectorization: "auto", optimize: true });
  const passes: PassChange[] = [];
  let before = text();
  const list = [...FINALIZE_PASSES, ...lowering.list];
  runPasses(
    module,
    list,
    { ...libraryContext(module.layout), machine: lowering.machine, passes: lowering.passes, printfCall: () => 0 },
    {
      after: ({ pass }) => {
        const now = text();
        const changes = lineDifference(before, now);
        if (changes !== "") passes.push({ name: pass, changes });
        before = now;
      },
    },
  );
  return { passes, lowered: module };
}

/** The line of the source that code comes from; what is inlined from elsewhere counts as its call. */
function lineOf(location: Location | null): number {
  for (let at = location; at !== null; at = at.inlinedAt) if (at.file === FILE) return at.line;
  return 0;
}

/** Lines of the source by offsets in the bodies of functions. */
function linesOf(places: NonNullable<GeneratedModule["places"]>): readonly (readonly CodeLine[])[] {
  return places.map((body) => body.map(({ offset, location }) => ({ offset, line: lineOf(location) })));
}

function moduleOf(source: string): Module | null {
  const module = frontEnd(source);
  if (module.ir !== null) lowerPipeCalls(module.ir);
  return module.ir;
}

function remarks(source: string): Explored["remarks"] {
  const target = HOST_COMPILER.createContext().createTarget(hostDeviceInfo({}, 1), null);
  if (!target.ok) throw new Error(target.error.message);
  const module = target.value.createModule();
  if (!buildProgram(module, openclC(source), `-S ${FILE}`).ok) return [];
  const explained = module.explain();
  if (!explained.ok) return [];
  return explained.value.flatMap(remarksOf).map(({ text, place }) => ({ text, line: place?.line ?? 0 }));
}

/** See the file's head; null: the text has errors. */
export function explore({ source, width }: Requests["explore"]["ask"]): Explored | null {
  const module = moduleOf(source);
  if (module === null) return null;
  runPasses(module, FINALIZE_PASSES, libraryContext(module.layout));
  const ir = module.kernels.flatMap((fn) => printed(fn, `kernel ${fn.name}, one work-item`));
  const vectors = vectorised(module, width);
  const fresh = moduleOf(source);
  if (fresh === null) return null;
  const { passes, lowered } = passByPass(fresh);
  const entries = [...lowered.functions.values()].filter(({ convention }) => convention.kind === "kernel_entry");
  const { bytes, places } = generateModule(lowered, {
    exports: entries.map(({ name }) => name),
    sharedMemory: true,
    features: [],
    names: true,
    places: true,
  });
  return { ir, vectors, wasm: wasmText(bytes, linesOf(places ?? [])), remarks: remarks(source), passes };
}
