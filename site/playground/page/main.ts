// SPDX-License-Identifier: Apache-2.0
// A page of the playground alone, for tests and while working on it: `#explorer` shows the explorer.
import { mountExplorer } from "../explorer/explorer.ts";
import { mountPlayground } from "../view/playground.ts";

const parent = document.getElementById("app");
if (parent === null) throw new Error("the page has no element for the playground");
const query = new URLSearchParams(location.search);
document.documentElement.classList.toggle("dark", query.has("dark"));
if (query.has("explorer")) mountExplorer(parent);
else {
  const playground = mountPlayground(parent, { threads: !query.has("single") });
  Object.assign(globalThis, { playground });
}
