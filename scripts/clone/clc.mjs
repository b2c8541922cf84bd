#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// `npx clc` inside a clone.
import { runFromSource } from "./run-from-source.mjs";

runFromSource("source/muxkit/source/clc.ts");
