// SPDX-License-Identifier: Apache-2.0
// A run of the suite through SPIR-V (MUXKIT_SUITE_SPIRV): a test whose program another producer refuses for a reason
// that is known is skipped, with the reason as its note. `MUXKIT_SUITE_SPIRV_REPORT` names a file that gets a line for
// each.
import { appendFileSync } from "node:fs";
import { basename } from "node:path";

import { PRODUCER_DIFFERENCES, onRefusal, refusalReason } from "@muxkit/kernel-suite";
import { TestRunner, beforeEach } from "vitest";

const report = process.env["MUXKIT_SUITE_SPIRV_REPORT"];

function tell(file: string, test: string, tool: string, reason: string): void {
  if (report !== undefined) appendFileSync(report, `${basename(file, ".test.ts")}\t${tool}\t${reason}\t${test}\n`);
}

onRefusal((refusal) => {
  const test = TestRunner.getCurrentTest();
  const reason = refusalReason(refusal);
  if (test === undefined || reason === null) return;
  tell(test.file.name, test.name, refusal.tool, reason);
  test.context.skip(reason);
});

beforeEach(({ task, skip }) => {
  // Where only our own front end is asked, no other compiler's choices differ.
  if (process.env["MUXKIT_SUITE_SPIRV"] === "own") return;
  const file = basename(task.file.name, ".test.ts");
  const row = PRODUCER_DIFFERENCES.find((one) => one.file === file && one.test.test(task.name));
  if (row === undefined) return;
  tell(task.file.name, task.name, "difference", row.reason);
  skip(row.reason);
});
