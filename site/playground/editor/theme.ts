// SPDX-License-Identifier: Apache-2.0
// The editor's colours, by the variables of the page, so that they follow its dark mode.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const STYLE = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--mk-keyword)", fontWeight: "600" },
  { tag: tags.typeName, color: "var(--mk-type)" },
  { tag: tags.standard(tags.function(tags.variableName)), color: "var(--mk-builtin)" },
  { tag: tags.function(tags.variableName), color: "var(--mk-function)" },
  { tag: [tags.number, tags.atom], color: "var(--mk-number)" },
  { tag: tags.string, color: "var(--mk-string)" },
  { tag: tags.comment, color: "var(--mk-comment)", fontStyle: "italic" },
  { tag: tags.meta, color: "var(--mk-number)" },
  { tag: [tags.operator, tags.bracket], color: "var(--mk-operator)" },
]);

const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--mk-code)", color: "var(--mk-text)", height: "100%", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "var(--mk-mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { caretColor: "var(--mk-accent)", padding: "10px 0" },
  ".cm-gutters": { backgroundColor: "var(--mk-code)", color: "var(--mk-faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--mk-line)" },
  ".cm-cursor": { borderLeftColor: "var(--mk-accent)", borderLeftWidth: "2px" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--mk-selection) !important",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--mk-raised)",
    color: "var(--mk-text)",
    border: "1px solid var(--mk-border)",
    borderRadius: "8px",
    boxShadow: "0 6px 24px rgb(0 0 0 / 18%)",
    overflow: "hidden",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--mk-accent)",
    color: "var(--mk-on-accent)",
  },
  ".cm-completionDetail": { color: "var(--mk-faint)", fontStyle: "normal", marginLeft: "0.8em" },
  ".cm-completionInfo": { whiteSpace: "pre-wrap", fontFamily: "var(--mk-mono)", fontSize: "12px" },
  ".cm-diagnostic": { padding: "6px 10px", whiteSpace: "pre-wrap" },
  ".cm-diagnosticAction": {
    backgroundColor: "var(--mk-accent)",
    color: "var(--mk-on-accent)",
    borderRadius: "5px",
    padding: "2px 8px",
    marginLeft: "10px",
    cursor: "pointer",
  },
});

/** Colours and sizes, for the editor's extensions. */
export const EDITOR_THEME: Extension = [THEME, syntaxHighlighting(STYLE)];
