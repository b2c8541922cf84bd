// SPDX-License-Identifier: Apache-2.0
// Settings: what a user may choose, as rows of tables. Each is given in code or by an environment variable, or has its
// default; what it must be is checked in one place.
import { type Result, err, ok } from "./result.ts";

/** Environment variables by name. @public */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What values of a setting are. @public */
export interface SettingKind<T> {
  /** What is needed, for messages: `a whole number from 1 on`. */
  readonly what: string;
  /** True for a value that code may give. */
  readonly isFit: (value: unknown) => value is T;
  /** The value that a text of an environment variable means; null: none. */
  readonly parse: (text: string) => T | null;
}

/** One setting. @public */
export interface Setting<T> {
  /** What its values are. */
  readonly kind: SettingKind<T>;
  /** Environment variable; null: there is none. An empty one counts as not set. */
  readonly variable: string | null;
  /** Where code gives it, for people: `openDevice({ threads })`; null: nowhere. */
  readonly option: string | null;
  /** One sentence: what it does. */
  readonly doc: string;
  /** Its value when nobody says. */
  readonly fallback: (environment: Environment) => T;
}

/** Where a value comes from. @public */
export type SettingSource = "default" | "environment" | "option";

/** The value of a setting. @public */
export interface SettingValue<T> {
  /** The value. */
  readonly value: T;
  /** Who said it. */
  readonly source: SettingSource;
}

/** A setting has a value that it cannot have: what, where, what is needed. @public */
export class SettingError extends Error {
  /** Name of the class. */
  override readonly name = "SettingError";
}

/**
 * The value of a setting: what code gives (undefined: nothing), else the variable's, else the default. Error: a
 * sentence that says which value is wrong and what is needed.
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

const YES: ReadonlySet<string> = new Set(["1", "true", "on", "yes"]);
const NO: ReadonlySet<string> = new Set(["0", "false", "off", "no"]);

/** What settings are made of. @public */
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
  count: numberKind("a whole number from 1 on", (value) => Number.isSafeInteger(value) && value >= 1),
  amount: numberKind("a whole number from 0 on", (value) => Number.isSafeInteger(value) && value >= 0),
  milliseconds: numberKind("a number of milliseconds from 0 on", (value) => Number.isFinite(value) && value >= 0),
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
