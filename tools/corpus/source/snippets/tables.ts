// SPDX-License-Identifier: Apache-2.0
// All tables of snippets.
import { BUILTIN_TABLES } from "./builtins.table.ts";
import { DECLARATION_TABLES } from "./declarations.table.ts";
import { EXPRESSION_TABLES } from "./expressions.table.ts";
import type { SnippetTable } from "./snippet.ts";

/** The tables, those of expressions first. */
export const SNIPPET_TABLES: readonly SnippetTable[] = [...EXPRESSION_TABLES, ...BUILTIN_TABLES, ...DECLARATION_TABLES];
