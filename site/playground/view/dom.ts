// SPDX-License-Identifier: Apache-2.0
// Elements in one expression.

type Property = string | number | boolean | ((event: Event) => void);

/**
 * An element with attributes, listeners (`onclick`) and children. Attributes that are false are left out, true ones are
 * empty.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Readonly<Record<string, Property>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (typeof value === "function") made.addEventListener(name.slice("on".length), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  made.append(...children);
  return made;
}
