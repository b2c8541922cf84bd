// SPDX-License-Identifier: Apache-2.0
// Errors in the words of this API: an operation is made of calls of OpenCL, whose names its user has never seen.
import { nearest } from "@muxkit/report";
import { OpenCLError } from "@muxkit/opencl";

/** The sentence of an error, without the call before it and the name behind it. */
function sentenceOf({ message, call, name }: OpenCLError): string {
  const begin = message.startsWith(`${call}: `) ? call.length + 2 : 0;
  const end = message.endsWith(` (${name})`) ? -name.length - 3 : undefined;
  return message.slice(begin, end).trimEnd();
}

/** An error of OpenCL as one of an operation: the same name and sentence, with the operation in place of the call. */
export function ofOperation(operation: string, error: OpenCLError): OpenCLError {
  return error.call === operation ? error : new OpenCLError(error.name, operation, sentenceOf(error), error.cause);
}

/** Runs calls of OpenCL for an operation; an error of theirs becomes the operation's. */
export function operate<T>(operation: string, calls: () => T): T {
  try {
    return calls();
  } catch (error) {
    throw error instanceof OpenCLError ? ofOperation(operation, error) : error;
  }
}

/** Throws CL_INVALID_VALUE for an option that an operation does not have. */
export function checkOptions(operation: string, options: object, known: ReadonlySet<string>): void {
  if (typeof options !== "object" || options === null)
    throw new OpenCLError("CL_INVALID_VALUE", operation, `an object is required, not ${String(options)}`);
  for (const name of Object.keys(options)) {
    if (known.has(name)) continue;
    const meant = nearest(name, [...known]);
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      operation,
      `there is no option "${name}"; ${meant === null ? `there are ${[...known].join(", ")}` : `did you mean "${meant}"?`}`,
    );
  }
}
