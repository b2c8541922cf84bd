// SPDX-License-Identifier: Apache-2.0
// The validator's cases as modules in assembly.
import { readFileSync } from "node:fs";

import { FLOW_CASES } from "./validation-flow.table.ts";
import { GROUP_CASES } from "./validation-groups.table.ts";
import { IMAGE_CASES } from "./validation-images.table.ts";
import { OFFER_CASES } from "./validation-offers.table.ts";
import { type Edit, FIRST_CASES, type ValidationBase, type ValidationCase } from "./validation.table.ts";

/** The modules that cases edit. */
export const NAMES = ["kernel", "shader", "flow", "layout", "images", "groups"] as const;

/** All cases. */
export const VALIDATION_CASES: readonly ValidationCase[] = [
  ...FIRST_CASES,
  ...FLOW_CASES,
  ...IMAGE_CASES,
  ...GROUP_CASES,
  ...OFFER_CASES,
];

/** An edit that changes nothing. */
export const NOTHING: Edit = ["; Version", "; Version"];

/** The text of a file in modules/. */
export function textOf(name: string): string {
  return readFileSync(new URL(`modules/${name}.spvasm`, import.meta.url), "utf8");
}

const BASES = new Map<ValidationBase, string>(NAMES.map((name) => [name, textOf(`base-${name}`)]));

function replaced(text: string, [find, replace]: Edit): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`"${find}" is ${parts.length - 1} times in the module`);
  return parts.join(replace);
}

/** A base with an edit, after another one. Throws for an edit whose text is not there once. */
export function editedText(base: ValidationBase, edit: Edit, also: Edit = NOTHING): string {
  return replaced(replaced(BASES.get(base) ?? "", also), edit);
}

/** The modules of all cases, invalid and valid ones, by the rule that they are about. */
export const CASE_TEXTS: readonly { readonly name: string; readonly text: string }[] = VALIDATION_CASES.flatMap(
  ({ rule, base, invalid, valid, also }) =>
    [invalid, ...(valid === undefined ? [] : [valid])].map((edit) => ({
      name: `${rule}: ${edit[1].split("\n")[0] ?? ""}`,
      text: editedText(base, edit, also),
    })),
);
