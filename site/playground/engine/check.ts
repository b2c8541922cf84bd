// SPDX-License-Identifier: Apache-2.0
// What the compiler says of a text, at the places of the text.
import { openclC } from "@muxkit/compiler";
import type { BaseModule } from "@muxkit/compiler-base";
import { hostDeviceInfo } from "@muxkit/host";
import { hostModule } from "@muxkit/host-compiler";
import { type Diagnostic, describeFix } from "@muxkit/report";

import type { Finding } from "./protocol.ts";

/** What the text is called in messages and places. */
export const FILE = "kernel.cl";

/** A program that has been compiled to IR, or what is wrong with it. */
export function frontEnd(source: string): BaseModule {
  const module = hostModule({ device: hostDeviceInfo({}, 1) });
  const parsed = module.parseOptions(`-S ${FILE}`, "build");
  if (!parsed.ok) throw new Error(parsed.error.message);
  void module.compile(openclC(source));
  return module;
}

function findingOf({ severity, message, span, fix, notes }: Diagnostic, source: string): Finding {
  const more = notes.map((note) => `\n${note.message}`).join("");
  const from = Math.min(span?.start ?? 0, source.length);
  return {
    severity: severity === "note" ? "info" : severity,
    message: message + more,
    from,
    to: Math.min(Math.max(span?.end ?? 0, from + 1), source.length),
    fix:
      fix === null
        ? null
        : {
            label: describeFix(fix),
            edits: fix.edits.map(({ span: { start, end }, replacement }) => ({
              from: start,
              to: end,
              text: replacement,
            })),
          },
  };
}

/** The compiler's errors and warnings. */
export function check(source: string): readonly Finding[] {
  const module = frontEnd(source);
  return module.diagnostics.map((diagnostic) => findingOf(diagnostic, source));
}
