// SPDX-License-Identifier: Apache-2.0
// The editor: OpenCL C with completion, and what the compiler says of it while it is typed.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, linter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";

import type { Finding } from "../engine/protocol.ts";
import { BUILTIN_NAMES, completeOpenCL } from "./completion.ts";
import { openclLanguage } from "./opencl-language.ts";
import { EDITOR_THEME } from "./theme.ts";

/** ms after the last key until the text is compiled. */
const PAUSE = 250;

/** What an editor tells and asks. */
export interface EditorHooks {
  /** What the compiler says of a text. */
  readonly check: (source: string) => Promise<readonly Finding[]>;
  readonly changed: (source: string) => void;
  /** Ctrl-Enter. */
  readonly run: () => void;
}

function diagnosticOf({ severity, message, from, to, fix }: Finding): Diagnostic {
  return {
    from,
    to,
    severity,
    message,
    actions:
      fix === null
        ? []
        : [
            {
              name: `Fix: ${fix.label}`,
              apply: (view) => {
                view.dispatch({
                  changes: fix.edits.map((edit) => ({ from: edit.from, to: edit.to, insert: edit.text })),
                });
                view.focus();
              },
            },
          ],
  };
}

/** Makes an editor in an element. */
export function createEditor(parent: HTMLElement, source: string, hooks: EditorHooks): EditorView {
  const check = linter(async ({ state }) => (await hooks.check(state.doc.toString())).map(diagnosticOf), {
    delay: PAUSE,
  });
  const state = EditorState.create({
    doc: source,
    extensions: [
      // Before the default keys, in which Ctrl-Enter inserts a line. Escape, then Tab leaves the editor.
      keymap.of([
        {
          key: "Mod-Enter",
          run: () => {
            hooks.run();
            return true;
          },
        },
        { key: "Tab", run: indentMore, shift: indentLess },
      ]),
      lineNumbers(),
      lintGutter(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      drawSelection(),
      history(),
      bracketMatching(),
      closeBrackets(),
      indentOnInput(),
      indentUnit.of("  "),
      openclLanguage({ builtins: BUILTIN_NAMES }),
      autocompletion({ override: [completeOpenCL] }),
      check,
      EDITOR_THEME,
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({ "aria-label": "OpenCL C source", spellcheck: "false" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) hooks.changed(update.state.doc.toString());
      }),
    ],
  });
  return new EditorView({ parent, state });
}
