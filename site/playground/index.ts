// SPDX-License-Identifier: Apache-2.0
// The entries of the playground and of the explorer, for the pages that show them.
// oxlint-disable-next-line import/no-unassigned-import
import "./view/playground.css";

export { type Explorer, type ExplorerOptions, mountExplorer } from "./explorer/explorer.ts";
export { type Playground, type PlaygroundOptions, mountPlayground } from "./view/playground.ts";
