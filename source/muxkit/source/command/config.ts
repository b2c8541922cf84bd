// SPDX-License-Identifier: Apache-2.0
// muxkit info --config: every setting, its value, who said it, how to say it.
import { type Environment, SettingError } from "@muxkit/cargo";

import { type Settings, SETTINGS, SETTING_NAMES, readSetting } from "../config/settings.table.ts";
import type { Streams } from "./command.ts";

/** One line of the list. */
interface Line {
  readonly name: string;
  readonly value: Settings[keyof Settings];
  readonly source: string;
  readonly variable: string | null;
  readonly option: string | null;
  readonly doc: string;
  /** What is wrong with its value. */
  readonly error?: string;
}

function lineOf(name: keyof Settings, environment: Environment): Line {
  const { variable, option, doc } = SETTINGS[name];
  try {
    const { value, source } = readSetting(name, environment);
    return { name, value, source, variable, option, doc };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return { name, value: null, source: "environment", variable, option, doc, error: error.message };
  }
}

function textOf({ name, value, source, variable, option, doc, error }: Line): string {
  const shown = error === undefined ? `${value === null ? "none" : String(value)} (${source})` : `WRONG: ${error}`;
  return (
    `${name} = ${shown}\n  ${doc}\n  ` +
    `${[...(variable === null ? [] : [variable]), ...(option === null ? [] : [option])].join("; ")}\n`
  );
}

/** Prints the list; 1 when a value is wrong. */
export function printConfig({ out }: Streams, json: boolean, environment: Environment): number {
  const lines = SETTING_NAMES.map((name) => lineOf(name, environment));
  out(json ? `${JSON.stringify(lines)}\n` : lines.map(textOf).join(""));
  return lines.some(({ error }) => error !== undefined) ? 1 : 0;
}
