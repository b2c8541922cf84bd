// SPDX-License-Identifier: Apache-2.0
// The process that asks the clang of npm, for `Service`.
import { loadClangModule } from "./clang.ts";
import type { Program } from "./programs.ts";
import { serve } from "./service.ts";
import type { Verdict } from "./verdict.ts";

const clang = loadClangModule();
serve(async (program): Promise<Verdict> => (await clang)(program as Program));
