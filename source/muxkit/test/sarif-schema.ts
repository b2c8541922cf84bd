// SPDX-License-Identifier: Apache-2.0
// The JSON schema of SARIF 2.1.0, as its authors publish it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import Ajv04 from "ajv-draft-04";
import addFormats from "ajv-formats";

const path = createRequire(import.meta.url).resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
// Its patterns are older than the rules of the flag u.
const ajv = new Ajv04.default({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats.default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(path, "utf8")) as object);

/** What a log does against the schema, a sentence each. */
export function violations(log: string): readonly string[] {
  return validate(JSON.parse(log))
    ? []
    : (validate.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath} ${message}`);
}
