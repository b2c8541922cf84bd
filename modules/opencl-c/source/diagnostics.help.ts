// SPDX-License-Identifier: Apache-2.0
// Advice on how to fix a diagnostic, where its message has none. Used by the page of all diagnostics and for SARIF.
import type { DiagnosticName } from "./diagnostics.table.ts";

/** What to do, by name of the row. */
export const HELP: Readonly<Partial<Record<DiagnosticName, string>>> = {
  strayCharacter: "Remove it. Copied text often contains typographic quotes and blanks.",
  badNumber: "Write digits of one base and one of the suffixes u, l, ul, f, h.",
  badEscape: "Write \\\\ for a backslash.",
  wrongEscape: "Write the digits that the escape needs, or \\\\ for a backslash.",
  unknownDirective: "Correct the word after #, or remove the line.",
  macroName: "Write a name that begins with a letter or underscore.",
  unterminatedIf: "Write #endif after the last line that depends on the condition.",
  elseWithoutIf: "Write the #if that it belongs to, or remove it; after #else there can be no other branch.",
  includeForm: "Put quotes or angle brackets around the name.",
  includeNotFound: "Pass the header to clCompileProgram, or add its folder with -I; check the case of letters.",
  includeDepth: "A header includes itself: guard it with #pragma once or #ifndef.",
  userError: "The program itself reports why it cannot be compiled this way: look at this line.",
  userWarning: "The program itself reports what to pay attention to: look at this line.",
  macroArguments:
    "Pass as many arguments as the definition has parameters; put arguments that contain commas into parentheses.",
  macroUnterminated: "Write the closing parenthesis after the arguments.",
  macroParameters: "Write names separated by commas; ... comes last.",
  badPaste: "Remove ##, or join parts that make one name, number or operator.",
  conditionForm: "Write whole numbers, defined(NAME), macros and operators of C, and nothing else.",
  macroRedefined: "Write #undef before the second definition, or remove one of them.",
  hashParameter: "Write the name of a parameter after #.",
  pasteAtEdge: "Write a token on both sides of ##.",
  undefinedInCondition: "Correct the name, or define it before this line; 0 will do.",
  directiveInArguments: "Move the directive before or after the use of the macro.",
  warningsAreErrors: "Fix the warnings, or build without -Werror.",
  expected: "Write what is missing at the caret. A brace or parenthesis may have been opened earlier.",
  expectedExpression: "Write a value, or remove the operator or comma before it.",
  expectedDeclaration:
    "Statements belong in functions: a brace closed the function too early, or there is one too many.",
  nesting: "Split the expression or function.",
  foreignWord: "OpenCL C is C: write what the message names.",
  strayBrace: "Remove it, or write the brace that it closes.",
  bitField: "Keep the bits in one integer and extract them with shifts and masks.",
  specifiers: "Keep one of the two.",
  inlineAssembly: "Use a built-in function.",
  missingType: "Write the type before the name; OpenCL C assumes no type.",
  unknownType:
    "Correct the name, or declare the type before this line. Types of C's headers have " +
    "different names here: uint for uint32_t.",
  misplaced: "Move or remove it.",
  storageClass: "Remove the word.",
  loopExpected: "Move it directly before a for, while or do.",
  elseAlone: "Put braces around the statements between if and else.",
  nestedFunction: "Close the block that the note names.",
  undeclared:
    "Correct the name, or declare it before this line. Constants and functions of newer versions need -cl-std.",
  redefined: "Rename one of the two, or remove it.",
  notCallable: "Only functions can be called; a variable of that name may hide a function.",
  argumentCount: "Pass as many arguments as the declaration has parameters.",
  cannotConvert:
    "Write a conversion: convert_T() for vectors, & or * between a value and a pointer, a component of a vector.",
  badOperands: "Convert an operand, or use a function that does the same.",
  notAssignable: "Store in a variable, an element, a member or a component; each component of a vector at most once.",
  assignConst:
    "Copy the value into a variable, or remove const from its declaration. Constant memory can only be read.",
  noMember: "Correct the name. Members of a pointer's target are written with ->.",
  badSwizzle: "Name components with x y z w or s0 to sf, one kind at a time, 1, 2, 3, 4, 8 or 16 of them.",
  notPointer: "Remove the *, [] or ->, or take the address of the operand.",
  noOverload: "Make the arguments fit one of the overloads that the notes list.",
  ambiguous: "Cast an argument to the intended type.",
  notConstant: "Write a literal, an enum or a macro, or an expression of them.",
  badArraySize:
    "Write a constant; OpenCL C has no arrays of variable length. Memory of a size known " +
    "at launch is passed as a local argument.",
  vectorLiteral: "Write one value for all components, or exactly one for each.",
  notInLoop: "Move it into a loop, or use return.",
  caseOutside: "Move it into the braces of a switch.",
  duplicateCase: "Remove one of the two.",
  labelMissing: "Write the label, or correct its name.",
  returnType: "Return a value of the function's type, or none if it is void.",
  kernelReturn: "Write void and return results through a pointer to global memory.",
  kernelArgument:
    "Pointer arguments of kernels point to global, constant or local memory; values must " +
    "have the same size on host and device.",
  addressSpace:
    "Write the address space where the pointer is declared, or copy the data. With " +
    "-cl-std=CL3.0, a pointer without an address space takes global, local and private ones.",
  recursion: "Use a loop.",
  undefinedFunction: "Write the body, or link an object that has it.",
  scopeOfLocal: "Move the declaration to the beginning of the kernel.",
  localInitializer: "Store the value after the declaration, in one work-item, followed by a barrier.",
  programScope: "Write constant before the type, or move the variable into a kernel.",
  incompleteType: "Define the type before this line, or use a pointer to it.",
  unusedParameter:
    "Remove it, or add __attribute__((unused)). Reported with -Wextra only: a kernel may " +
    "have parameters that it does not need yet.",
  fallthrough:
    'Write break before it; where it is intended, write __attribute__((fallthrough)); or a comment "fall through".',
  notEnabled:
    "Write #pragma OPENCL EXTENSION cl_khr_fp16 : enable before the first use, or read " +
    "and write halves as floats by vload_half and vstore_half.",
  needsExtension: "Test for the extension with #ifdef, and provide an alternative where it is missing.",
  needsFeature:
    "Build with a -cl-std that has it, or test its macro with #ifdef and provide an alternative where it is missing.",
  conflictingTypes: "Make the declarations agree.",
  vectorCondition: "Write any(…) for one component, all(…) for every one.",
  missingReturn: "Return a value at the end.",
  unreachableCode: "Remove it, or the jump before it.",
  emptyBody: "Remove the semicolon; write { } where an empty body is intended.",
  assignInCondition: "Write ==, or a second pair of parentheses where an assignment is intended.",
  precedence: "Use parentheses to make the grouping explicit.",
  alwaysSame:
    "Compare in a signed or wider type, or remove the comparison. A loop that counts an " +
    "unsigned variable down to 0 ends with i-- > 0.",
  divisionByZero: "Test the divisor first.",
  shiftAmount: "Shift by less than the width, or convert to a wider type first.",
  outOfBounds: "Indices range from 0 to the number of elements minus one.",
  selfAssignment: "One of the two names is probably wrong.",
  unusedResult: "Store the value, or remove the statement.",
  unusedFunction: "Remove it, or call it.",
  unusedLabel: "Remove it. In a switch, perhaps case was intended.",
  unknownAttribute: "Correct the name, or remove it.",
  unknownPragma: "Write #pragma OPENCL EXTENSION name : enable.",
  divergentSync: "Move the call out of the condition: all work-items of a group must make it, or none.",
  earlyReturn:
    "Do not return before it: put the work under the condition instead, so that every work-item reaches the call.",
  doubleLiteral: "Write f after the literal, or build with -cl-single-precision-constant.",
  commaVector: "Write (float4)(a, b, c, d).",
  functionValue: "Write () to call it.",
  unused: "Remove it; write (void)name; where it is kept intentionally.",
  shadowed: "Rename one of the two.",
  uninitialized: "Initialise it where it is declared.",
  otherPointer:
    "Write a cast where it is intended, or use vloadn() and vstoren(), which need no " +
    "alignment of vectors. Drivers accept it, so programs use it; C99 6.5.16.1 does not " +
    "allow it.",
  implicitTruncation:
    "Write a cast or convert_T() where it is intended; write f after a literal that should be a float.",
  linkUndefined:
    "Objects are compiled one by one; what one of them only declares must be defined in " +
    "another that is linked with it. Check the spelling of the name in both.",
  linkTwice: "A function in a header that several sources include needs static or inline static.",
  linkTypes:
    "Put the declaration into one header that both sources include. The types are shown as the IR writes them.",
  badParameter: "Pass a pointer into that memory, or the value itself.",
  badResult: "Return a pointer, a struct that holds the array, or the value itself.",
  pointerToFunction: "Choose between the functions with if or switch.",
  variadic: "Declare every parameter; a macro with ... can pass variable arguments on.",
  badMember: "Give the member a size and no address space; a pointer to it may have one.",
  tagKind: "Use the keyword that the tag was declared with, or another tag.",
  constantScope: "Move it out of the function; the name can remain the same.",
  constantValue: "Write its value: constant memory is never written.",
  restrictNeedsPointer: "Write restrict after the *.",
  reservedName: "Use another name.",
  componentAddress: "Take the address of the whole vector and cast it to a pointer to its element type.",
  printfText:
    "Print a string literal, or a pointer whose values are all string literals: variables, parameters and tables in " +
    "constant memory are followed. Print the characters of other texts one by one with %c.",
  typeCall: "OpenCL C puts the type in parentheses, unlike GLSL and WGSL: (float4)(1, 2, 3, 4).",
  vectorIndex: "Count components from 0.",
};
