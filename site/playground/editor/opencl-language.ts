// SPDX-License-Identifier: Apache-2.0
// OpenCL C for the editor: colours and indentation, by lines.
import {
  type IndentContext,
  LanguageSupport,
  StreamLanguage,
  type StreamParser,
  type StringStream,
  indentService,
} from "@codemirror/language";

/** What names in a text are. */
export interface Names {
  readonly builtins: ReadonlySet<string>;
}

/** Keywords of OpenCL C. */
export const KEYWORDS: readonly string[] =
  `break case const constant continue default do else enum extern for generic global goto if inline kernel local
   private read_only read_write restrict return signed sizeof static struct switch typedef union unsigned
   volatile while write_only __attribute__ __constant __global __kernel __local __private`.split(/\s+/);

/** Types of OpenCL C without their vectors. */
const SCALARS: readonly string[] = "char uchar short ushort int uint long ulong float double half".split(" ");

/** Types of OpenCL C. */
export const TYPES: readonly string[] = [
  ..."bool void size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t image2d_t image3d_t image1d_t".split(" "),
  ..."atomic_int atomic_uint atomic_float".split(" "),
  ...SCALARS.flatMap((name) => ["", 2, 3, 4, 8, 16].map((lanes) => `${name}${lanes}`)),
];

interface State {
  comment: boolean;
  directive: boolean;
}

const keywords = new Set(KEYWORDS);
const types = new Set(TYPES);

function inComment(stream: StringStream, state: State): string {
  state.comment = !(stream.skipTo("*/") && stream.match("*/") !== false);
  if (state.comment) stream.skipToEnd();
  return "comment";
}

/** The mode; `names` says which words are built-in functions. */
function parserFor(names: Names): StreamParser<State> {
  return {
    name: "opencl-c",
    startState: () => ({ comment: false, directive: false }),
    token: (stream, state) => {
      if (stream.sol()) state.directive = false;
      if (state.comment) return inComment(stream, state);
      if (stream.eatSpace()) return null;
      if (stream.match("//")) {
        stream.skipToEnd();
        return "comment";
      }
      if (stream.match("/*")) return inComment(stream, state);
      if (stream.match(/^#\s*\w+/)) {
        state.directive = true;
        return "meta";
      }
      if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return "string";
      if (stream.match(/^(0x[\da-f]+|\d*\.?\d+(?:e[+-]?\d+)?\.?)[a-z]*/i)) return "number";
      if (stream.match(/^[A-Za-z_]\w*/)) {
        const word = stream.current();
        if (keywords.has(word)) return "keyword";
        if (types.has(word)) return "typeName";
        if (names.builtins.has(word)) return "variableName.function.standard";
        if (/^[A-Z][A-Z0-9_]+$/.test(word)) return "atom";
        return stream.match(/^\s*\(/, false) ? "variableName.function" : "variableName";
      }
      stream.next();
      return /[()[\]{}]/.test(stream.current()) ? "bracket" : "operator";
    },
    languageData: {
      commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
      closeBrackets: { brackets: ["(", "[", "{", '"'] },
      indentOnInput: /^\s*\}$/,
    },
  };
}

/** As deep as the line before, deeper after an open bracket, less deep for a closing one. */
function indentation(context: IndentContext, at: number): number {
  const { text, from } = context.lineAt(at);
  const before = from === 0 ? "" : context.lineAt(from - 1).text;
  const indent = /^\s*/.exec(before)?.[0].length ?? 0;
  const opens = /[{(]\s*$/.test(before) ? context.unit : 0;
  return Math.max(0, indent + opens - (/^\s*[})]/.test(text) ? context.unit : 0));
}

/** The language, for the editor's extensions. */
export function openclLanguage(names: Names): LanguageSupport {
  return new LanguageSupport(StreamLanguage.define(parserFor(names)), indentService.of(indentation));
}
