// SPDX-License-Identifier: Apache-2.0
// The clock of the processor, from whatever the system tells.
import { expect, test } from "vitest";

import { clockSpeed } from "../source/system.ts";

const CPUINFO =
  "processor\t: 0\nmodel name\t: AMD EPYC\ncpu MHz\t\t: 2596.150\n\nprocessor\t: 1\ncpu MHz\t\t: 800.000\n";

const ROWS: readonly (readonly [what: string, speed: number, cpuinfo: string, model: string, mhz: number])[] = [
  ["the operating system's number", 3200, CPUINFO, "Model @ 2.80GHz", 3200],
  ["the first of /proc/cpuinfo", 0, CPUINFO, "Model @ 2.80GHz", 2596],
  ["the model's name", 0, "", "Intel(R) Xeon(R) CPU @ 2.80GHz", 2800],
  ["the model's name with a space", 0, "Features : fp asimd\n", "Cortex 2 GHz", 2000],
  ["what is usual where nothing is known", 0, "", "", 1000],
  ["what is usual where the text says 0", 0, "cpu MHz : 0.000\n", "CPU", 1000],
];

test.each(ROWS)("the clock is %s", (_what, speed, cpuinfo, model, mhz) => {
  expect(clockSpeed(speed, cpuinfo, model)).toBe(mhz);
});
