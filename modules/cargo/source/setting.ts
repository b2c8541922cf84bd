// SPDX-License-Identifier: Apache-2.0
// Settings as rows of tables: a value is an option of code, an environment variable or a default, and is validated in
// one place.
import { type Result, err, ok } from "./result.ts";

/** Environment variables by name. @public */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The type of a setting's values. @public */
export interface SettingKind<T> {
  /** Description for messages: `a whole number of at least 1`. */
  readonly what: string;
  /** True for a valid value of an option. */
  readonly isFit: (value: unknown) => value is T;
  /** The value of an environment variable's text; null: it is invalid. */
  readonly parse: (text: string) => T | null;
}

/** One setting. @public */
export interface Setting<T> {
  /** The type of its values. */
  readonly kind: SettingKind<T>;
  /** Environment variable; null: there is none. An empty one counts as not set. */
  readonly variable: string | null;
  /** The option in code, for messages: `openDevice({ threads })`; null: there is none. */
  readonly option: string | null;
  /** The default value. */
  readonly fallback: (environment: Environment) => T;
}

/** A setting, and what it does. @public */
export interface DescribedSetting<T> extends Setting<T> {
  /** One sentence: what it does. */
  readonly doc: string;
}

/** Where a value comes from. @public */
export type SettingSource = "default" | "environment" | "option";

/** The value of a setting. @public */
export interface SettingValue<T> {
  /** The value. */
  readonly value: T;
  /** Where it comes from. */
  readonly source: SettingSource;
}

/** An invalid value of a setting: the message names the value, its source and what is needed. @public */
export class SettingError extends Error {
  /** Name of the class. */
  override readonly name = "SettingError";
}

/**
 * The value of a setting: the option (undefined: not set), else the environment variable, else the default. Error: a
 * sentence that names the invalid value and what is needed.
 *
 * @public
 */
export function settingValue<T>(
  name: string,
  { kind, variable, option, fallback }: Setting<T>,
  environment: Environment,
  given?: unknown,
): Result<SettingValue<T>, string> {
  if (given !== undefined) {
    if (kind.isFit(given)) return ok({ value: given, source: "option" });
    return err(
      `${option ?? name}: ${kind.what} is needed, not ${typeof given === "number" ? given : JSON.stringify(given)}`,
    );
  }
  const text = variable === null ? "" : (environment[variable] ?? "");
  if (variable === null || text === "") return ok({ value: fallback(environment), source: "default" });
  const value = kind.parse(text);
  return value === null
    ? err(`the environment variable ${variable}: ${kind.what} is needed, not ${JSON.stringify(text)}`)
    : ok({ value, source: "environment" });
}

function numberKind(what: string, isFit: (value: number) => boolean): SettingKind<number> {
  return {
    what,
    isFit: (value): value is number => typeof value === "number" && isFit(value),
    parse: (text) => {
      const value = Number(text);
      return text.trim() !== "" && isFit(value) ? value : null;
    },
  };
}

function objectKind<T extends object>(what: string, isFit: (value: object) => boolean): SettingKind<T | null> {
  return {
    what,
    isFit: (value): value is T | null =>
      value === null || ((typeof value === "object" || typeof value === "function") && isFit(value)),
    parse: () => null,
  };
}

/** A setting of some of these names: in code a list, in an environment variable with commas between them. @public */
export function namesKind<Name extends string>(names: readonly Name[]): SettingKind<readonly Name[]> {
  const isName = (value: unknown): value is Name => names.some((name) => name === value);
  return {
    what: `a list of ${names.join(", ")}`,
    isFit: (value): value is readonly Name[] => Array.isArray(value) && value.every(isName),
    parse: (text) => {
      const given: readonly string[] = text.split(",").map((name) => name.trim());
      return given.every(isName) ? given : null;
    },
  };
}

/** A setting that is one of these names. @public */
export function nameKind<Name extends string>(names: readonly Name[]): SettingKind<Name> {
  const isName = (value: unknown): value is Name => names.some((name) => name === value);
  return {
    what: `one of ${names.join(", ")}`,
    isFit: isName,
    parse: (text) => (isName(text) ? text : null),
  };
}

const YES: ReadonlySet<string> = new Set(["1", "true", "on", "yes"]);
const NO: ReadonlySet<string> = new Set(["0", "false", "off", "no"]);

/** The types of settings. @public */
export const SETTING_KINDS: {
  /** From 1 on. */
  readonly count: SettingKind<number>;
  /** From 0 on. */
  readonly amount: SettingKind<number>;
  /** From 0 on, parts too. */
  readonly milliseconds: SettingKind<number>;
  /** True or false. */
  readonly flag: SettingKind<boolean>;
  /** Any text; null: none. */
  readonly text: SettingKind<string | null>;
  /** A function; null: none. Only code can give it. */
  readonly callback: SettingKind<object | null>;
  /** An object; null: none. Only code can give it. */
  readonly object: SettingKind<object | null>;
} = {
  count: numberKind("a whole number of at least 1", (value) => Number.isSafeInteger(value) && value >= 1),
  amount: numberKind("a whole number of at least 0", (value) => Number.isSafeInteger(value) && value >= 0),
  milliseconds: numberKind("a number of milliseconds, at least 0,", (value) => Number.isFinite(value) && value >= 0),
  flag: {
    what: "true or false (1 or 0, on or off, yes or no)",
    isFit: (value) => typeof value === "boolean",
    parse: (text) => (YES.has(text.toLowerCase()) ? true : NO.has(text.toLowerCase()) ? false : null),
  },
  text: {
    what: "a text",
    isFit: (value): value is string | null => value === null || typeof value === "string",
    parse: (text) => text,
  },
  callback: objectKind("a function", (value) => typeof value === "function"),
  object: objectKind("an object", (value) => typeof value === "object"),
};
