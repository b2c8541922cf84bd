// The passes by name, and what runs a list of them.
import { InternalError } from "@muxkit/cargo";
import { type Module, describeVerifierError, printModule, verifyModule } from "@muxkit/ir";

import { deadCodeElimination, globalDeadCodeElimination } from "./dce.ts";
import { globalValueNumbering } from "./gvn.ts";
import { inlineFunctions } from "./inline.ts";
import { linkBuiltins } from "./link-builtins.ts";
import { mem2reg } from "./mem2reg.ts";
import { type Pass, type PassContext, functionPass } from "./pass.ts";
import { simplify } from "./simplify.ts";
import { simplifyCfg } from "./simplify-cfg.ts";

/** Every pass, by registry name. @public */
export const PASSES: readonly Pass[] = [
  { name: "link-builtins", doc: "Replaces calls of built-ins by the library's functions.", run: linkBuiltins },
  { name: "inline", doc: "Puts bodies in the place of calls, within a budget.", run: inlineFunctions },
  functionPass("mem2reg", "Makes private variables values.", mem2reg),
  functionPass("simplify", "Folds constants and applies algebra.", (fn, module) => simplify(fn, (module.layout.pointerBytes[0] ?? 4) * 8)),
  functionPass("gvn", "Gives equal computations one value.", globalValueNumbering),
  functionPass("simplify-cfg", "Folds branches and merges blocks.", simplifyCfg),
  functionPass("dce", "Removes what nothing needs.", deadCodeElimination),
  { name: "global-dce", doc: "Removes functions that no kernel reaches.", run: globalDeadCodeElimination },
];

const BY_NAME = new Map(PASSES.map((pass) => [pass.name, pass]));

/** What {@link runPasses} does beside running. @public */
export interface RunOptions {
  /** True: the module is verified after each pass; a broken rule is an InternalError with the pass and the module. */
  readonly verifyEach?: boolean;
  /** Called with the text of the module after each pass of these names. */
  readonly printAfter?: { readonly passes: ReadonlySet<string>; readonly print: (pass: string, text: string) => void };
}

/** Runs passes by name, in order. Throws InternalError for a name that no pass has. @public */
export function runPasses(module: Module, names: readonly string[], context: PassContext, options: RunOptions = {}): void {
  for (const name of names) {
    const pass = BY_NAME.get(name);
    if (pass === undefined) throw new InternalError(`there is no pass "${name}"; there are ${[...BY_NAME.keys()].join(", ")}`);
    pass.run(module, context);
    if (options.verifyEach === true) checkAfter(module, name);
    if (options.printAfter?.passes.has(name) === true) options.printAfter.print(name, printModule(module));
  }
}

function checkAfter(module: Module, pass: string): void {
  const [first, ...more] = verifyModule(module);
  if (first === undefined) return;
  throw new InternalError(`${describeVerifierError(first)}${more.length === 0 ? "" : ` (and ${more.length} more)`}\n${printModule(module)}`, [pass]);
}
