// SPDX-License-Identifier: Apache-2.0
// Compares api/vk.xml with the headers of Khronos by the C compiler: every constant with its number, every member of a
// structure, every function. Without a compiler or the headers nothing is compared, and that is said.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { schemaNumber } from "../../../tools/build/schema-file.ts";
import { functionsOf, readSchema } from "./schema.ts";

const schema = readSchema();

const folder = mkdtempSync(join(tmpdir(), "vulkan-headers-"));

/** What the compiler says of a program, and the program of the headers; empty: nothing. */
function complaints(text: string): string {
  const [file, program] = [join(folder, "check.c"), join(folder, "check")];
  writeFileSync(file, `#include <stdio.h>\n#include <vulkan/vulkan_core.h>\nint main(void) {\n${text}\n}\n`);
  try {
    execFileSync("cc", ["-o", program, file], { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
    return execFileSync(program, { encoding: "utf8" });
  } catch (error) {
    return String((error as { readonly stderr?: string }).stderr ?? error);
  }
}

if (complaints("return 0;") !== "") {
  console.error("!! there is no C compiler, or there are no headers of Vulkan: nothing is compared");
} else {
  const constants = [...schema.enum, ...schema.flags].flatMap(({ value }) =>
    value.map(
      (row) => `if (${row.name} != ${schemaNumber(row.name, row.value)}ll) puts("${row.name} is another number");`,
    ),
  );
  const members = schema.struct.flatMap(({ name, member }) =>
    member.map((row) => `(void)sizeof(((${name} *)0)->${row.name});`),
  );
  const functions = functionsOf(schema).map(({ name }) => `(void)sizeof(&${name});`);
  const wrong = complaints([...constants, ...members, ...functions, "return 0;"].join("\n"));
  if (wrong !== "") {
    console.error(wrong);
    process.exitCode = 1;
  } else console.log(`${constants.length} constants, ${members.length} members, ${functions.length} functions agree`);
}
rmSync(folder, { recursive: true });
