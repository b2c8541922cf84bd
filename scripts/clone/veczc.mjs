#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// `npx veczc` inside a clone.
import { runFromSource } from "./run-from-source.mjs";

runFromSource("source/muxkit/source/veczc.ts");
