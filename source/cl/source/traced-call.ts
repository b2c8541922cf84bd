// SPDX-License-Identifier: Apache-2.0
// Calls in the process's trace: a span each, with the arguments that distinguish calls, and the error where there is
// one.
import { type TraceArguments, TRACER } from "@muxkit/cargo";

import { OpenCLError } from "./error.ts";
import { ClObject } from "./object.ts";
import { TRACED_FORMS } from "./trace.ts";

/** Characters of a text, and values of a list, that a trace shows. */
const MOST_CHARACTERS = 80;
const MOST_VALUES = 8;

type Shown = TraceArguments[string];

function objectText(value: object): string {
  if (value instanceof ClObject) return value.label;
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  // An object of the API is named by its class; the others are properties and descriptions, which are shown by what is
  // in them.
  if (Symbol.toStringTag in value) return String(value[Symbol.toStringTag]);
  return Object.entries(value)
    .map(([key, part]) => `${key}: ${String(shown(part))}`)
    .join(", ");
}

function listText(list: readonly unknown[]): string {
  const more = list.length > MOST_VALUES ? `, … (${list.length})` : "";
  return `${list
    .slice(0, MOST_VALUES)
    .map((part) => String(shown(part)))
    .join(", ")}${more}`;
}

function shown(value: unknown): Shown {
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "function") return "a callback";
  const text = Array.isArray(value)
    ? listText(value)
    : typeof value === "object" && value !== null
      ? objectText(value)
      : String(value);
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters)`;
}

/** The arguments by name; those that are left out, or are null, are omitted. */
function given(names: readonly string[], values: readonly unknown[]): Record<string, Shown> {
  return Object.fromEntries(
    names.flatMap((name, i) => (values[i] === undefined || values[i] === null ? [] : [[name, shown(values[i])]])),
  );
}

/**
 * The call itself where nothing is traced; else one that notes each call. `names`: its parameters, with spaces between
 * them.
 */
export function traced<F extends (...values: never[]) => unknown>(call: string, names: string, run: F): F {
  const tracer = TRACER;
  if (tracer === null) return run;
  const list = names.split(" ");
  const form = (...values: readonly unknown[]): unknown => {
    const begin = tracer.now();
    // Before the call: what it releases has no name afterwards.
    const told = given(list, values);
    try {
      return (run as unknown as (...all: readonly unknown[]) => unknown)(...values);
    } catch (error) {
      told["error"] = error instanceof OpenCLError ? error.name : String(error);
      throw error;
    } finally {
      tracer.span("opencl", call, begin, told);
    }
  };
  TRACED_FORMS.set(run, form);
  return form as unknown as F;
}
