// SPDX-License-Identifier: Apache-2.0
// Every diagnostic of the front end and the linker. A code is never reused for another row. 1000: lexer, 1100:
// preprocessor, 1200: parser, 2000: semantics, 3000: linking.
import { type Diagnostic, type DiagnosticExtra, type DiagnosticList, type DiagnosticRow, type Span, formatTemplate, lineAndColumn, note } from "@muxkit/report";

import { HELP } from "./diagnostics.help.ts";

const ROWS = {
  unterminatedComment: ["CL1001", "error", "this comment is not closed: write */"],
  unterminatedString: ["CL1002", "error", "this string is not closed: write \" before the end of the line"],
  unterminatedCharacter: ["CL1003", "error", "this character literal is not closed: write ' after it"],
  strayCharacter: ["CL1004", "error", "the character {0} has no meaning here"],
  badNumber: ["CL1005", "error", "\"{0}\" is not a number: {1}"],
  badEscape: ["CL1006", "warning", "\\{0} is not an escape sequence: the backslash is ignored"],
  wrongEscape: ["CL1007", "error", "the escape sequence \\{0} {1}"],
  longCharacter: ["CL1008", "warning", "the character literal {0} is too long: only its last characters count"],
  unknownDirective: ["CL1101", "error", "#{0} is not a preprocessor directive"],
  macroName: ["CL1102", "error", "#{0} needs a macro name"],
  unterminatedIf: ["CL1103", "error", "this #{0} has no #endif"],
  elseWithoutIf: ["CL1104", "error", "#{0} without a matching #if"],
  includeForm: ["CL1105", "error", "#include needs \"name\" or <name>"],
  includeNotFound: ["CL1106", "error", "the header \"{0}\" was not found; pass it to the compile call or add its folder with -I"],
  includeDepth: ["CL1107", "error", "#include is nested more than {0} files deep, or more than {1} files are read"],
  userError: ["CL1108", "error", "#error {0}"],
  userWarning: ["CL1109", "warning", "#warning {0}"],
  macroArguments: ["CL1110", "error", "wrong number of arguments for the macro {0}: expected {1}, got {2}"],
  macroUnterminated: ["CL1111", "error", "the arguments of the macro {0} are not closed by a parenthesis"],
  macroParameters: ["CL1112", "error", "the parameters of the macro {0} are malformed"],
  badPaste: ["CL1113", "error", "## makes \"{0}\", which is not a token"],
  conditionForm: ["CL1114", "error", "this condition is malformed: {0}"],
  lineForm: ["CL1115", "error", "#line needs a number and, optionally, a \"name\""],
  macroRedefined: ["CL1116", "warning", "the macro {0} is redefined with a different body"],
  hashParameter: ["CL1117", "error", "# must be followed by a parameter of the macro"],
  pasteAtEdge: ["CL1118", "error", "## joins two tokens; it cannot be at the beginning or end of the macro {0}"],
  undefinedInCondition: ["CL1119", "warning", "{0} is not defined as a macro and evaluates to 0"],
  directiveInArguments: ["CL1130", "error", "#{0} cannot be used within the arguments of a macro"],
  macroTooLarge: ["CL1120", "error", "the macros of this program expand to too much text or are nested too deeply; {0} is the first that exceeds the limit"],
  warningsAreErrors: ["CL1999", "error", "warnings are treated as errors (-Werror)"],
  expected: ["CL1201", "error", "expected {0} {1}{2}"],
  expectedExpression: ["CL1202", "error", "expected an expression before {0}"],
  expectedDeclaration: ["CL1203", "error", "expected a declaration here, not {0}"],
  nesting: ["CL1204", "error", "this is nested more than {0} levels deep"],
  bitField: ["CL1205", "error", "OpenCL C has no bit-fields (6.9 c)"],
  specifiers: ["CL1206", "error", "{0} cannot be combined with {1}"],
  inlineAssembly: ["CL1207", "error", "OpenCL C has no inline assembly"],
  missingType: ["CL1208", "error", "this declaration has no type"],
  unknownType: ["CL1209", "error", "unknown type name \"{0}\""],
  misplaced: ["CL1210", "error", "\"{0}\" is not allowed {1}"],
  storageClass: ["CL1213", "error", "OpenCL C has no storage class \"{0}\" (6.8)"],
  loopExpected: ["CL1212", "error", "{0} must be followed by a loop"],
  elseAlone: ["CL1220", "error", "this \"else\" has no \"if\": an if without braces takes one statement, and a \";\" is one"],
  nestedFunction: ["CL1221", "error", "the function \"{0}\" begins within another function: is a \"}\" missing before it?"],
  foreignWord: ["CL1223", "error", "OpenCL C has no {0}"],
  strayBrace: ["CL1224", "error", "this \"}\" has no matching \"{\""],
  wordAsName: ["CL1222", "error", "\"{0}\" names a type of the language and cannot be used as another name"],
  missingSemicolon: ["CL1225", "warning", "expected \";\" after the last member"],
  undeclared: ["CL2001", "error", "\"{0}\" is not declared"],
  redefined: ["CL2002", "error", "\"{0}\" is declared twice in the same scope"],
  notCallable: ["CL2003", "error", "a value of type {0} cannot be called"],
  argumentCount: ["CL2004", "error", "wrong number of arguments for {0}: expected {1}, got {2}"],
  cannotConvert: ["CL2005", "error", "{0} cannot be converted to {1}"],
  badOperands: ["CL2006", "error", "{0} cannot be applied to {1}"],
  notAssignable: ["CL2007", "error", "this expression is not assignable"],
  assignConst: ["CL2008", "error", "this is const and cannot be assigned to"],
  noMember: ["CL2009", "error", "{0} has no member \"{1}\""],
  badSwizzle: ["CL2010", "error", "\".{0}\" selects no components of {1}"],
  notPointer: ["CL2011", "error", "a value of type {0} is not a pointer"],
  noOverload: ["CL2012", "error", "no overload of {0} takes ({1})"],
  ambiguous: ["CL2013", "error", "several overloads of {0} take ({1}); convert an argument"],
  notConstant: ["CL2014", "error", "this must be a compile-time constant"],
  badArraySize: ["CL2015", "error", "an array must have a positive constant number of elements (OpenCL C 6.9 d)"],
  typeTooLarge: ["CL2110", "error", "{0} is too large: objects have at most 2147483647 bytes, and records must be described in 262144 characters"],
  vectorLiteral: ["CL2016", "error", "wrong number of components for a {0} literal: expected {1}, got {2}"],
  notInLoop: ["CL2017", "error", "\"{0}\" is not inside a loop{1}"],
  caseOutside: ["CL2018", "error", "\"{0}\" is not inside a switch"],
  duplicateCase: ["CL2019", "error", "this case value is used twice"],
  labelMissing: ["CL2020", "error", "the label \"{0}\" does not exist"],
  returnType: ["CL2021", "error", "{0}"],
  kernelReturn: ["CL2022", "error", "a kernel returns void, not {0} (OpenCL C 6.9 g)"],
  kernelArgument: ["CL2023", "error", "a kernel cannot take {0}: {1}"],
  addressSpace: ["CL2024", "error", "a pointer to {0} memory is not a pointer to {1} memory; copy the data or change the address space"],
  recursion: ["CL2025", "error", "\"{0}\" calls itself; OpenCL C has no recursion (6.9 i)"],
  clusterSize: ["CL2080", "error", "the cluster size of {0} must be a constant power of two (cl_khr_subgroup_clustered_reduce)"],
  pipeUse: ["CL2081", "error", "{0} (OpenCL C 6.13.16)"],
  pipeArgument: ["CL2082", "error", "{0} takes {1} as argument {2}, not {3}"],
  undefinedFunction: ["CL2026", "error", "\"{0}\" is called but has no body"],
  initializer: ["CL2027", "error", "{0}"],
  scopeOfLocal: ["CL2028", "error", "a variable in local memory must be declared in the outermost block of a kernel (OpenCL C 6.5.2)"],
  localInitializer: ["CL2029", "error", "a variable in local memory cannot have an initialiser (OpenCL C 6.5.2)"],
  programScope: ["CL2030", "error", "a variable outside of functions must be in {0} memory (OpenCL C 6.7.1)"],
  incompleteType: ["CL2031", "error", "{0} has no definition"],
  needsExtension: ["CL2032", "error", "{0} needs {1}, which this device does not have or the program has not enabled"],
  notEnabled: ["CL2124", "error", "{0} needs the extension {1}, which this program does not enable"],
  attribute: ["CL2033", "error", "{0}"],
  conflictingTypes: ["CL2034", "error", "\"{0}\" was declared with a different type: this one is {1}"],
  vectorCondition: ["CL2035", "error", "a condition must be a scalar, not {0}; use any() or all()"],
  needsFeature: ["CL2037", "error", "\"{0}\" needs {1}"],
  atomicQualifier: ["CL1211", "error", "OpenCL C has no _Atomic; use atomic_int, atomic_uint and the other atomic types (6.15.12)"],
  memoryOrder: ["CL2038", "error", "{0} does not take {1}: {2}"],
  atomicAccess: ["CL2039", "error", "a variable of type {0} can only be used by the atomic functions: {1} (6.15.12)"],
  atomicInitializer: ["CL2040", "error", "only a program-scope variable may be initialised with an atomic value; call atomic_init (6.15.12)"],
  printfFormat: ["CL2090", "error", "invalid printf format: {0}"],
  printfCount: ["CL2091", "error", "{0} has no argument: the format needs {1}, got {2}"],
  printfArgument: ["CL2092", "error", "{0} prints {1}, not {2}"],
  printfForm: ["CL2135", "warning", "this printf format is read as C libraries do, and other devices may print something else: {0}"],
  printfExtra: ["CL2095", "warning", "no conversion prints this argument: the format needs {0}, got {1}"],
  printfText: ["CL2129", "error", "{0} prints strings that are known when the program is built, and this one is not: {1}"],
  printfMismatch: ["CL2096", "warning", "{0} prints {1}, but this is {2}: it is converted here; other devices may print something else"],
  pointerNumber: ["CL2132", "warning", "{0} and {1} meet here: write a cast if the number is meant as an address"],
  scalarRank: ["CL2133", "warning", "{0} is unsigned and the components of {1} are not: other compilers refuse this; write a cast"],
  constantCall: ["CL2134", "warning", "a call of {0} is not a constant expression: other compilers refuse it here"],
  missingReturn: ["CL2061", "warning", "\"{0}\" can end without returning a value: the result is zero here and undefined on other devices"],
  unreachableCode: ["CL2062", "warning", "this code is never reached"],
  emptyBody: ["CL2063", "warning", "this \";\" is the whole body of the \"{0}\": what follows does not belong to it"],
  assignInCondition: ["CL2064", "warning", "this condition assigns a value; did you mean \"==\"?"],
  precedence: ["CL2065", "warning", "\"{0}\" binds tighter than \"{1}\", so this is evaluated first"],
  alwaysSame: ["CL2066", "warning", "this is always {0}: a {1} {2}"],
  divisionByZero: ["CL2067", "warning", "division by zero: the result is undefined"],
  shiftAmount: ["CL2068", "warning", "a shift by {0} of {1} bits shifts by {2}: the amount is taken modulo {1} (OpenCL C 6.3 j)"],
  outOfBounds: ["CL2069", "warning", "element {0} is outside of {1}: the last one is {2}"],
  selfAssignment: ["CL2101", "warning", "\"{0}\" is assigned to itself"],
  unusedResult: ["CL2102", "warning", "the value of this expression is unused, and it has no other effect"],
  unusedFunction: ["CL2103", "warning", "the static function \"{0}\" is never called"],
  unusedParameter: ["CL2105", "warning", "the parameter \"{0}\" is never used"],
  fallthrough: ["CL2106", "warning", "the previous case falls through into this one"],
  unusedLabel: ["CL2104", "warning", "the label \"{0}\" is never used"],
  unknownAttribute: ["CL2074", "warning", "the attribute \"{0}\" is unknown and has no effect"],
  attributePlace: ["CL2131", "warning", "{0} applies to {1} and has no effect on {2}"],
  unknownPragma: ["CL2075", "warning", "this #pragma has no effect: {0}"],
  divergentSync: ["CL2076", "warning", "{0} may not be reached by every work-item of the group: the condition around it differs between work-items"],
  earlyReturn: ["CL2077", "warning", "work-items that have returned do not reach {0}: here it waits for the others; on other devices it may wait forever"],
  doubleLiteral: ["CL2078", "warning", "{0} is a double, which this device does not support: it is treated as a float"],
  commaVector: ["CL2079", "warning", "the comma operator yields only its last value; for a {0}, write the type before the list"],
  functionValue: ["CL2060", "error", "\"{0}\" is a function and can only be called: OpenCL C has no pointers to functions (6.9 a)"],
  handleType: ["CL2070", "error", "{0} cannot be {1}: images can only be parameters of functions, samplers also constants, events also private variables (OpenCL C 6.9 b)"],
  accessQualifier: ["CL2071", "error", "\"{0}\" applies only to images, not to {1}"],
  imageAccess: ["CL2072", "error", "{0} does not take a {1} image"],
  samplerInitializer: ["CL2073", "error", "a sampler in a program must be const and have a constant value made of CLK_ constants (OpenCL C 6.12.14.1)"],
  samplerValue: ["CL2125", "error", "{0} is not the value of a sampler: join one CLK_NORMALIZED_COORDS_, one CLK_ADDRESS_ and one CLK_FILTER_ constant by | (OpenCL C 6.12.14.1)"],
  samplerRepeats: ["CL2126", "warning", "{0} needs CLK_NORMALIZED_COORDS_TRUE: reading through this sampler is undefined (OpenCL C 6.12.14.1)"],
  samplerUse: ["CL2127", "warning", "{0} cannot be used with {1}: what it reads is undefined (OpenCL C 6.12.14.2)"],
  staticSpace: ["CL2041", "error", "a variable that is {0} must be in global or constant memory, not in {1} memory (OpenCL C 6.7.1)"],
  globalOfFunction: ["CL2042", "error", "a variable of a function can be in global memory only when it is static (OpenCL C 6.7.1)"],
  badParameter: ["CL2123", "error", "a parameter cannot be {0}"],
  badResult: ["CL2111", "error", "a function cannot return {0}"],
  pointerToFunction: ["CL2112", "error", "OpenCL C has no pointers to functions (6.9 a)"],
  variadic: ["CL2113", "error", "a function of a program cannot take a variable number of arguments (OpenCL C 6.9 e)"],
  badMember: ["CL2114", "error", "a member cannot be {0}"],
  tagKind: ["CL2115", "error", "\"{0}\" is {1}, not {2}"],
  constantScope: ["CL2116", "error", "a variable in constant memory must be declared outside of functions or in the outermost block of a kernel (OpenCL C 6.5.3)"],
  constantValue: ["CL2117", "error", "a variable in constant memory needs an initialiser (OpenCL C 6.5.3)"],
  restrictNeedsPointer: ["CL2118", "error", "restrict qualifies a pointer and is written after its *; it does not qualify {0}"],
  reservedName: ["CL2120", "error", "a function of a program cannot be named \"{0}\" (OpenCL C 6.9)"],
  componentAddress: ["CL2121", "error", "a component of a vector has no address (OpenCL C 6.1.7)"],
  typeCall: ["CL2130", "error", "\"{0}\" is a type and cannot be called: write ({0})(…)"],
  vectorIndex: ["CL2122", "error", "{0} has no component {1}"],
  staticAssert: ["CL2100", "error", "this static assertion failed{0}"],
  unused: ["CL2050", "warning", "\"{0}\" is never used"],
  shadowed: ["CL2052", "warning", "\"{0}\" hides another variable of the same name"],
  uninitialized: ["CL2053", "warning", "\"{0}\" is read before it is set: its value is zero here and undefined on other devices"],
  otherPointer: ["CL2128", "warning", "{0} is converted to {1}: write a cast if this is intended"],
  implicitTruncation: ["CL2051", "warning", "{0} may lose bits when converted to {1}: write a cast if this is intended"],
  linkUndefined: ["CL3001", "error", "\"{0}\" is {1}{2}, but nothing that is linked defines it: define it, or link the object or library that does"],
  linkTwice: ["CL3002", "error", "\"{0}\" is defined twice, {1} and {2}: remove one, or make it static if it belongs to its own file"],
  linkTypes: ["CL3003", "error", "\"{0}\" is {1} {2}, but {3} {4}: declare it with one type"],
} as const;

/** Name of a row of the table. @public */
export type DiagnosticName = keyof typeof ROWS;

/** The rows with their codes, for documentation and tests. @public */
export const DIAGNOSTICS: readonly DiagnosticRow[] = Object.entries(ROWS).map(([name, [code, severity, template]]) => {
  const help = HELP[name as DiagnosticName];
  return { name, code, severity, template, ...(help === undefined ? {} : { help }) };
});

/** Codes that can be nothing but the consequence of a token or macro that is not there. */
const CONSEQUENCES = /^CL(?:12\d\d|2021)$/u;
const CAUSES = /^CL1[01]\d\d$/u;
/** A quote without its end takes the rest of its line along. */
const OPEN_QUOTES = /^CL100[23]$/u;

/**
 * An error on a line about which the lexer or preprocessor has complained, or at the end of a text that was cut there,
 * repeats the message.
 */
function isEcho(list: DiagnosticList, code: string, span: Span | null): boolean {
  if (span === null || !list.hasErrors || CAUSES.test(code)) return false;
  const { file, start } = span;
  const isConsequence = CONSEQUENCES.test(code);
  const atEnd = isConsequence && start >= file.text.trimEnd().length;
  const { line } = lineAndColumn(file, start);
  return list.all.some((earlier) => {
    if (earlier.severity !== "error" || earlier.span?.file !== file || !(isConsequence ? CAUSES : OPEN_QUOTES).test(earlier.code)) return false;
    return atEnd || lineAndColumn(file, earlier.span.start).line === line;
  });
}

/** Takes back what was reported before its cause on the same line was found. */
export function removeEchoes(list: DiagnosticList): void {
  list.removeErrors(({ code, span }) => isEcho(list, code, span));
}

/** Macros that are listed for one location; of more, the outermost and the innermost. */
const MOST_FRAMES = 6;

/** Notes for the macro expansions that led to a source location. */
function expansionNotes(span: Span | null): readonly Diagnostic[] {
  const frames = span?.expansion?.frames ?? [];
  const notes = frames.map((frame) => note(`expanded from the macro "${frame.macro}"`, frame.span));
  if (notes.length <= MOST_FRAMES) return notes;
  const half = MOST_FRAMES / 2;
  return [...notes.slice(0, half), note(`and from ${notes.length - MOST_FRAMES} more macros`, null), ...notes.slice(-half)];
}

/** Adds the row's diagnostic, with values for its `{0}`, `{1}` … . @public */
export function report(list: DiagnosticList, name: DiagnosticName, span: Span | null, values: readonly (string | number)[] = [], extra: DiagnosticExtra = {}): void {
  const [code, severity, template] = ROWS[name];
  if (isEcho(list, code, span)) return;
  const message = formatTemplate(template, values);
  const expansions = expansionNotes(span);
  const withNotes = expansions.length === 0 ? extra : { ...extra, notes: [...expansions, ...(extra.notes ?? [])] };
  if (severity === "error") list.error(code, message, span, withNotes);
  else list.warning(code, message, span, withNotes);
}
