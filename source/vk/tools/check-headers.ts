// SPDX-License-Identifier: Apache-2.0
// Compares api/vk.xml with the headers of Khronos by the C compiler: every constant with its number, every member of a
// structure, every function. Without a compiler or the headers nothing is compared, and that is said.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { schemaNumber } from "../../../tools/build/schema-file.ts";
import { ABSENT, PENDING } from "./api/absent.table.ts";
import { functionsOf, readSchema } from "./schema.ts";

const schema = readSchema();

/** The part of a header that has Vulkan 1.0 to 1.3; empty: there is no header. */
function coreText(): string {
  const path = "/usr/include/vulkan/vulkan_core.h";
  if (!existsSync(path)) return "";
  const text = readFileSync(path, "utf8");
  return text.slice(text.indexOf("#define VK_VERSION_1_0 1"), text.indexOf("#define VK_KHR_surface 1"));
}

/** Calls and structures of the core of which nothing is said: neither that they are there, nor why not. */
function unmentioned(): readonly string[] {
  const said = new Set([
    ...[...functionsOf(schema), ...schema.struct].map(({ name }) => name),
    ...ABSENT.flatMap(([, names]) => names),
    ...PENDING,
  ]);
  const names = coreText().matchAll(/VKAPI_CALL (vk\w+)\(|typedef (?:struct|union) (Vk\w+) \{/gu);
  return [...names].flatMap(([, call, structure]) => {
    const name = call ?? structure ?? "";
    return said.has(name) ? [] : [name];
  });
}

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
  const forgotten = unmentioned();
  for (const name of forgotten) console.error(`${name} is neither in api/vk.xml nor in api/absent.table.ts`);
  if (wrong !== "") console.error(wrong);
  if (wrong !== "" || forgotten.length > 0) process.exitCode = 1;
  else console.log(`${constants.length} constants, ${members.length} members, ${functions.length} functions agree`);
}
rmSync(folder, { recursive: true });
