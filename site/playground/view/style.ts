// SPDX-License-Identifier: Apache-2.0
// The style sheet of the playground and of the explorer, put into a page with their code: other pages do not load it.
import css from "./playground.css?inline";

const ID = "mk-style";

/** Puts the style sheet into the page, unless it is there. */
export function addStyle(): void {
  if (document.getElementById(ID) !== null) return;
  const style = document.createElement("style");
  style.id = ID;
  style.textContent = css;
  document.head.append(style);
}
