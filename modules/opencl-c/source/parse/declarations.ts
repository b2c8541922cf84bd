// SPDX-License-Identifier: Apache-2.0
// Declarations: specifiers, declarators, structs, enums, attributes, initialisers (C99 6.7, OpenCL C 6.5, 6.7, 6.11).
// Recursive descent with one token of lookahead, and a few more where a name may be a type: names of types are in the
// cursor's scopes, so that declarations and expressions are distinguished while they are parsed. A name is declared
// right after its declarator, before its initialiser (C99 6.2.1). Trees are immutable and hold no types.
//
// Specifiers are collected in any order into a draft; words such as `unsigned long` are resolved at its end by a table.
// A declarator is a chain from the base type to the name, which sema follows from its outside: each link wraps the type
// that it has so far.
//
//     int *a[3]       pointer(array 3 (a))    int, pointer to int, array of 3 of these
//     int (*a)[3]     array 3 (pointer(a))    int, array of 3, pointer to this
//
// Errors are recovered from in panic mode: `Resynchronize` leaves the construct, and the nearest list (members,
// parameters, statements) skips to its next entry. The name of a parameter or variable that is broken is declared all
// the same with a missing type, so its uses are not reported.
//
// Cost: linear in the tokens, without backtracking; the depth of nesting is limited.
// Over 800 lines in one file: specifiers, declarators and structs contain each other.
import { type Span, insertBefore, insertAfter, lineAndColumn, note } from "@muxkit/report";

import type {
  Attribute,
  BaseType,
  Declaration,
  DeclaredName,
  Declarator,
  EnumValue,
  FunctionDefinition,
  Initializer,
  InitializerItem,
  InitializerList,
  MemberDeclaration,
  ParameterDeclaration,
  Qualifiers,
  Specifiers,
  StaticAssert,
  TypeName,
} from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import { IDENTIFIER, PUNCTUATOR, type Token } from "../lex/token.ts";
import type { Cursor } from "./cursor.ts";
import { Resynchronize } from "./resynchronize.ts";
import { foreignConstruct } from "./foreign-names.ts";
import { declaredName, functionDeclarator } from "./declarator.ts";
import { isAttributeWord, parseAttributes } from "./attributes.ts";
import { parseAssignment, parseConditional, refuseBlock } from "./expressions.ts";
import { parseDesignators, parseStaticAssert, parseTypeof } from "./extensions.ts";
import {
  acceptComma,
  beforeNext,
  closeBrace,
  isOnNewLine,
  namesBetween,
  reportForeign,
  reportMissing,
  skipEntry,
  takeInstead,
  unknownSpecifier,
  unknownType,
} from "./recover.ts";
import { isMissingQualifier, startsDeclaration, startsType } from "./starts.ts";
import { type StorageFlags, acceptStorage, isStorage, noStorage, refuseStorage, setStorage } from "./storage.ts";
import { ARITHMETIC_WORDS, TYPEOF_WORDS } from "./type-words.ts";

type QualifierDraft = { -readonly [K in keyof Qualifiers]: Qualifiers[K] };

function noQualifiers(): QualifierDraft {
  return { isConst: false, isVolatile: false, isRestrict: false, addressSpace: null, access: null };
}

/** True for a word that qualifies a type, in this version or not. */
function isQualifier(cursor: Cursor, { text }: Token): boolean {
  return text === "_Atomic" || cursor.words.qualifier(text) !== undefined;
}

function acceptQualifier(cursor: Cursor, draft: QualifierDraft): boolean {
  const token = cursor.peek();
  if (!token.isReserved) return false;
  if (cursor.acceptWord("_Atomic")) {
    report(cursor.diagnostics, "atomicQualifier", token.span);
    return true;
  }
  const row = cursor.words.qualifier(token.text);
  if (row === undefined) return false;
  cursor.next();
  const [field, value] = row;
  const missing = cursor.words.missing(token.text);
  if (missing !== null) report(cursor.diagnostics, "needsFeature", token.span, [token.text, missing]);
  if (field === "addressSpace") {
    if (draft.addressSpace !== null && draft.addressSpace !== value)
      report(cursor.diagnostics, "specifiers", token.span, [value, draft.addressSpace]);
    draft.addressSpace = value as Qualifiers["addressSpace"];
  } else if (field === "access") draft.access = value as Qualifiers["access"];
  else draft[field] = true;
  return true;
}

/** Words that alone are the name of their type. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(["char", "short", "int", "long", "half", "float", "double"]);

const BEHIND_NAME: ReadonlySet<string> = new Set([";", ",", "=", "[", "(", ")", ":"]);

/** True when a word of an arithmetic type is followed by what can follow a declared name. */
function standsAsName(cursor: Cursor): boolean {
  return cursor.peek(1).kind === PUNCTUATOR && BEHIND_NAME.has(cursor.peek(1).text);
}

/** `int half;`: a word that forms no type with those before it is where the name belongs. */
function isMeantAsName(cursor: Cursor, word: string, { base, words }: SpecifierDraft): boolean {
  if ((base === null && words.length === 0) || !ARITHMETIC_WORDS.has(word) || !standsAsName(cursor)) return false;
  return base !== null || arithmeticType([...words, word]) === null;
}

/** The name of the type that several arithmetic words make; null: they do not go together. */
function arithmeticType(words: readonly string[]): string | null {
  const [only] = words;
  if (words.length === 1 && only !== undefined && PLAIN_WORDS.has(only)) return only;
  const count = (word: string): number => words.filter((w) => w === word).length;
  const isUnsigned = count("unsigned") > 0;
  if (isUnsigned && count("signed") + count("__signed__") > 0) return null;
  const rest = words
    .filter((w) => w !== "unsigned" && w !== "signed" && w !== "__signed__")
    .toSorted()
    .join(" ");
  const table: Readonly<Record<string, string>> = {
    "": "int",
    char: "char",
    short: "short",
    "int short": "short",
    int: "int",
    long: "long",
    "int long": "long",
    "long long": "long",
    "int long long": "long",
    half: "half",
    float: "float",
    double: "double",
  };
  const name = table[rest];
  if (name === undefined) return null;
  if (!isUnsigned) return name;
  return name === "half" || name === "float" || name === "double" ? null : `u${name}`;
}

/**
 * Takes a word that the version or the device does not have, and reports it; returns its type unless it is a qualifier,
 * which has its type after it still.
 */
function refuseWord(cursor: Cursor): BaseType | null {
  const { text, span } = cursor.next();
  report(cursor.diagnostics, "needsFeature", span, [text, cursor.words.missing(text) ?? ""]);
  return text === "generic" ? null : { kind: "missing", span };
}

/** The specifiers of a declaration while they are being read. */
interface SpecifierDraft {
  qualifiers: QualifierDraft;
  words: readonly string[];
  attributes: readonly Attribute[];
  flags: StorageFlags;
  base: BaseType | null;
}

/** Empty specifier lists, shared by all declarations without any; never mutated. */
const NO_QUALIFIERS: QualifierDraft = Object.freeze(noQualifiers());
const NO_STORAGE: StorageFlags = Object.freeze(noStorage());
const NO_WORDS: readonly string[] = [];
const NO_ATTRIBUTES: readonly Attribute[] = [];
const NO_NAMES: DeclaredName[] = [];
/** Lists of the words that alone name a type. */
const ONE_WORD: ReadonlyMap<string, readonly string[]> = new Map([...PLAIN_WORDS].map((word) => [word, [word]]));

function ownQualifiers(draft: SpecifierDraft): QualifierDraft {
  if (draft.qualifiers === NO_QUALIFIERS) draft.qualifiers = noQualifiers();
  return draft.qualifiers;
}

function ownFlags(draft: SpecifierDraft): StorageFlags {
  if (draft.flags === NO_STORAGE) draft.flags = noStorage();
  return draft.flags;
}

/** Reads the specifiers of a declaration. */
export function parseSpecifiers(cursor: Cursor): Specifiers {
  const first = cursor.peek();
  if (first.isReserved && PLAIN_WORDS.has(first.text) && !cursor.peek(1).isReserved) {
    // `int` and nothing more: most declarations have no other specifier.
    const { text, span } = cursor.next();
    return {
      base: { kind: "named", name: text, span },
      qualifiers: NO_QUALIFIERS,
      isTypedef: false,
      isStatic: false,
      isExtern: false,
      isInline: false,
      isKernel: false,
      storage: null,
      attributes: NO_ATTRIBUTES,
      span,
    };
  }
  const draft: SpecifierDraft = {
    qualifiers: NO_QUALIFIERS,
    words: NO_WORDS,
    attributes: NO_ATTRIBUTES,
    flags: NO_STORAGE,
    base: null,
  };
  while (acceptSpecifier(cursor, draft));
  const { base, words, qualifiers, attributes, flags } = draft;
  const span = cursor.spanFrom(first);
  const type =
    words.length > 0 ? arithmeticBase(cursor, base, words, span) : (base ?? missingBase(cursor, first, flags, span));
  return {
    base: type,
    qualifiers,
    isTypedef: flags.isTypedef,
    isStatic: flags.isStatic,
    isExtern: flags.isExtern,
    isInline: flags.isInline,
    isKernel: flags.isKernel,
    storage: flags.storage,
    attributes,
    span,
  };
}

/** Takes one more specifier; false: there is none at the cursor. */
function acceptSpecifier(cursor: Cursor, draft: SpecifierDraft): boolean {
  const token = cursor.peek();
  const { words, base } = draft;
  if (token.kind !== IDENTIFIER) return false;
  const hasType = base !== null || words.length > 0;
  // What no word of the language is can only be the type, and after it the name.
  if (!token.isReserved) return !hasType && acceptNamedType(cursor, token, draft);
  const word = token.text;
  if (isMeantAsName(cursor, word, draft)) return false;
  if (base === null && PLAIN_WORDS.has(word)) {
    cursor.next();
    draft.words = words.length === 0 ? (ONE_WORD.get(word) ?? [word]) : [...words, word];
    return true;
  }
  if (hasBody(base) && isOnNewLine(cursor) && startsDeclaration(cursor)) return false;
  if (isQualifier(cursor, token) && acceptQualifier(cursor, ownQualifiers(draft))) return true;
  if (word === "__extension__" || word === "_Noreturn") cursor.next();
  else if (isAttributeWord(cursor, 0)) acceptAttributes(cursor, draft);
  else if (word === "struct" || word === "union") draft.base = parseRecord(cursor);
  else if (word === "enum") draft.base = parseEnum(cursor);
  else if (base === null && TYPEOF_WORDS.has(word) && cursor.is("(", 1)) draft.base = parseTypeof(cursor);
  else if (isStorage(token)) acceptStorage(cursor, ownFlags(draft));
  else if (!hasType && isUnknownSpecifier(cursor)) takeUnknownSpecifier(cursor, ownFlags(draft), ownQualifiers(draft));
  else if (ARITHMETIC_WORDS.has(word)) {
    cursor.next();
    draft.words = [...words, word];
  } else return !hasType && acceptNamedType(cursor, token, draft);
  return true;
}

/** Takes attributes; `opencl_global` and its kin are address spaces. */
function acceptAttributes(cursor: Cursor, draft: SpecifierDraft): void {
  const attributes = parseAttributes(cursor);
  for (const { name } of attributes) {
    const space = ATTRIBUTE_SPACES.get(name);
    if (space !== undefined) ownQualifiers(draft).addressSpace = space;
  }
  draft.attributes = [...draft.attributes, ...attributes];
}

const ATTRIBUTE_SPACES: ReadonlyMap<string, NonNullable<Qualifiers["addressSpace"]>> = new Map(
  (["global", "local", "constant", "private", "generic"] as const).map((space) => [`opencl_${space}`, space]),
);

/** Takes the name of a type, or what was meant as a specifier. */
function acceptNamedType(cursor: Cursor, token: Token, draft: SpecifierDraft): boolean {
  if (isUnknownSpecifier(cursor)) takeUnknownSpecifier(cursor, ownFlags(draft), ownQualifiers(draft));
  else if (cursor.isTypeName(token)) draft.base = namedType(cursor);
  else if (cursor.isMissingType(token) || isMissingQualifier(cursor, 0)) draft.base = refuseWord(cursor);
  else return false;
  return true;
}

/** A type by its name; the word `pipe` is followed by the type of the packets. */
function namedType(cursor: Cursor): BaseType {
  const { text, span } = cursor.next();
  return text === "pipe" && cursor.words.isType(text) && !cursor.isDeclared(text)
    ? { kind: "pipe", packet: parseSpecifiers(cursor).base, span }
    : { kind: "named", name: text, span };
}

/** The type that arithmetic words make. */
function arithmeticBase(cursor: Cursor, other: BaseType | null, words: readonly string[], span: Span): BaseType {
  const name = other === null ? arithmeticType(words) : null;
  if (name === null)
    report(cursor.diagnostics, "specifiers", span, [words[0] ?? "", words.slice(1).join(" ") || "this type"]);
  return { kind: "named", name: name ?? "int", span };
}

/** The substitute for a type that is missing or unknown. */
function missingBase(cursor: Cursor, first: Token, { isKernel, storage }: StorageFlags, span: Span): BaseType {
  const token = cursor.peek();
  // `auto x = 1;` is reported for its first word.
  if (storage?.word === "auto" && token.kind === IDENTIFIER && token !== first) return { kind: "missing", span };
  if (
    token.kind === IDENTIFIER &&
    !cursor.words.isKeyword(token.text) &&
    (cursor.peek(1).kind === IDENTIFIER || cursor.is("*", 1))
  )
    return unknownType(cursor);
  if (foreignConstruct(token.text) !== null) {
    cursor.next();
    if (reportForeign(cursor)) throw new Resynchronize();
  }
  report(cursor.diagnostics, "missingType", token.span, [], isKernel ? { fix: insertBefore(token.span, "void ") } : {});
  if (token === first) throw new Resynchronize();
  return { kind: "missing", span };
}

/** Takes a misspelt word before a type and applies the intended one. */
function takeUnknownSpecifier(cursor: Cursor, flags: StorageFlags, qualifiers: QualifierDraft): void {
  const { span } = cursor.peek();
  const meant = unknownSpecifier(cursor);
  if (meant === null || setStorage(flags, { text: meant, span })) return;
  const row = cursor.words.qualifier(meant);
  if (row?.[0] === "addressSpace") qualifiers.addressSpace = row[1] as Qualifiers["addressSpace"];
}

/** An undeclared word before a type. */
function isUnknownSpecifier(cursor: Cursor): boolean {
  const { text } = cursor.peek();
  const next = cursor.peek(1);
  if (
    cursor.isTypeName(cursor.peek()) ||
    cursor.words.missing(text) !== null ||
    cursor.words.isKeyword(text) ||
    next.kind !== IDENTIFIER
  )
    return false;
  return cursor.isTypeName(next) || cursor.words.qualifier(next.text) !== undefined;
}

/** True for a struct or enum whose members follow. */
function hasBody(base: BaseType | null): boolean {
  return (base?.kind === "record" && base.members !== null) || (base?.kind === "enum" && base.values !== null);
}

function parseRecord(cursor: Cursor): BaseType {
  const first = cursor.next();
  const attributes = [...parseAttributes(cursor)];
  const tag = cursor.peek().kind === IDENTIFIER && !cursor.is("{") ? cursor.next().text : null;
  if (tag !== null) cursor.tags.set(tag, first.text === "union" ? "union" : "struct");
  let members: MemberDeclaration[] | null = null;
  const asserts: StaticAssert[] = [];
  const open = cursor.peek();
  if (cursor.accept("{")) {
    members = [];
    while (!cursor.is("}") && !cursor.isAtEnd) {
      const start = cursor.position;
      const { depth } = cursor;
      try {
        if (cursor.isWord("_Static_assert")) asserts.push(parseStaticAssert(cursor));
        // A ";" alone is nothing, as compilers have it.
        else if (!cursor.accept(";")) members.push(parseMembers(cursor));
      } catch (error) {
        if (!(error instanceof Resynchronize)) throw error;
        cursor.depth = depth;
        cursor.skipStatement();
        if (cursor.position === start) cursor.next();
      }
    }
    closeBrace(cursor, open, "at the end of the members");
  } else if (tag === null) {
    report(cursor.diagnostics, "expected", cursor.peek().span, [
      'a name or "{"',
      `after ${first.text}`,
      beforeNext(cursor),
    ]);
    throw new Resynchronize();
  }
  attributes.push(...parseAttributes(cursor));
  return {
    kind: "record",
    isUnion: first.text === "union",
    tag,
    members,
    asserts,
    attributes,
    span: cursor.spanFrom(first),
  };
}

function parseMembers(cursor: Cursor): MemberDeclaration {
  const first = cursor.peek();
  const specifiers = parseSpecifiers(cursor);
  refuseStorage(cursor, specifiers, "before a member");
  const declarators: { readonly declarator: Declarator; readonly attributes: readonly Attribute[] }[] = [];
  while (!cursor.is(";")) {
    const declarator = parseDeclarator(cursor);
    if (cursor.is(":")) {
      report(cursor.diagnostics, "bitField", cursor.peek().span);
      throw new Resynchronize();
    }
    declarators.push({ declarator, attributes: parseAttributes(cursor) });
    if (cursor.is(",") && startsType(cursor, 1)) {
      takeInstead(cursor, ";", "after the member");
      return { specifiers, declarators, span: cursor.spanFrom(first) };
    }
    if (!cursor.accept(",")) break;
  }
  // What ends the members ends the last one too, as compilers have it.
  if (cursor.is("}")) {
    const { span } = cursor.peek(-1);
    report(cursor.diagnostics, "missingSemicolon", span, [], { fix: insertAfter(span, ";") });
  } else cursor.expect(";", "after the member");
  return { specifiers, declarators, span: cursor.spanFrom(first) };
}

/** Takes a ";" between the names of an enum for the comma that it should be. */
function acceptWrongComma(cursor: Cursor): boolean {
  if (!cursor.is(";") || cursor.peek(1).kind !== IDENTIFIER || ![",", ";", "=", "}"].includes(cursor.peek(2).text))
    return false;
  takeInstead(cursor, ",", "between the names of an enum");
  return true;
}

function parseEnum(cursor: Cursor): BaseType {
  const first = cursor.next();
  const attributes = parseAttributes(cursor);
  const tag = cursor.peek().kind === IDENTIFIER ? cursor.next().text : null;
  if (tag !== null) cursor.tags.set(tag, "enum");
  let values: EnumValue[] | null = null;
  const open = cursor.peek();
  if (cursor.accept("{")) {
    values = [];
    do {
      if (cursor.is("}") && values.length > 0) break;
      const name = cursor.expectName("in an enum");
      cursor.declare(name.text, "variable");
      const value = cursor.accept("=") ? parseConditional(cursor) : null;
      values.push({ name: name.text, value, span: name.span });
    } while (cursor.accept(",") || acceptWrongComma(cursor));
    cursor.expect("}", "at the end of the enum", open);
  }
  return { kind: "enum", tag, values, attributes, span: cursor.spanFrom(first) };
}

/** Reads a declarator; without a name if there is none. */
export function parseDeclarator(cursor: Cursor, isParameter: boolean = false): Declarator {
  cursor.enter();
  let declarator: Declarator;
  if (cursor.is("^")) refuseBlock(cursor);
  if (cursor.is("&") || cursor.is("&&")) {
    // What it refers to is read as if it were passed by value.
    report(cursor.diagnostics, "foreignWord", cursor.next().span, ["references: take a pointer"]);
  }
  if (cursor.accept("*")) {
    const qualifiers = cursor.peek().isReserved ? noQualifiers() : NO_QUALIFIERS;
    while (acceptQualifier(cursor, qualifiers) || parseAttributes(cursor).length > 0);
    declarator = putBelow(parseDeclarator(cursor, isParameter), qualifiers);
  } else declarator = parseDirectDeclarator(cursor, isParameter);
  cursor.leave();
  return declarator;
}

/**
 * Puts a pointer around a declarator: the base type is wrapped by it first, so it comes outermost in the chain that
 * ends at the name.
 */
function putBelow(inner: Declarator, qualifiers: Qualifiers): Declarator {
  return { kind: "pointer", qualifiers, inner };
}

/**
 * True for a word of the language that is taken for a name: qualifiers and such are none, the words of a type
 * (reported) where nothing else is allowed.
 */
function mayBeName(cursor: Cursor, { text, span }: Token): boolean {
  if (!ARITHMETIC_WORDS.has(text)) return !cursor.words.isKeyword(text);
  if (!standsAsName(cursor)) return false;
  report(cursor.diagnostics, "wordAsName", span, [text]);
  return true;
}

function parseDirectDeclarator(cursor: Cursor, isParameter: boolean): Declarator {
  const token = cursor.peek();
  let declarator: Declarator;
  if (token.kind === IDENTIFIER && (!token.isReserved || mayBeName(cursor, token))) {
    cursor.next();
    declarator = { kind: "name", name: token.text, span: token.span };
  } else if (cursor.is("(") && !startsType(cursor, 1) && !cursor.is(")", 1)) {
    cursor.next();
    declarator = parseDeclarator(cursor, isParameter);
    cursor.expect(")", "after a declarator");
  } else declarator = { kind: "name", name: null, span: token.span };
  // Suffixes bind tighter than the pointers around; the first suffix is the outermost of the name's type.
  for (;;) {
    const at = cursor.peek();
    if (at.kind !== PUNCTUATOR) return declarator;
    if (cursor.accept("[")) {
      // `[static 4]` and `[const]` apply to the pointer that the parameter is adjusted to (C99 6.7.5.3).
      if (isParameter) while (cursor.acceptWord("static") || acceptQualifier(cursor, noQualifiers()));
      const size = cursor.is("]") ? null : parseAssignment(cursor);
      cursor.expect("]", "after the size of an array");
      declarator = { kind: "array", size, inner: declarator, span: cursor.spanFrom(at) };
    } else if (cursor.accept("(")) {
      const { parameters, isVariadic, names } = parseParameters(cursor);
      declarator = { kind: "function", parameters, isVariadic, names, inner: declarator };
    } else return declarator;
  }
}

function parseParameter(cursor: Cursor): ParameterDeclaration {
  const first = cursor.peek();
  const start = cursor.position;
  const { depth } = cursor;
  try {
    const specifiers = parseSpecifiers(cursor);
    refuseStorage(cursor, specifiers, "before a parameter");
    const declarator = parseDeclarator(cursor, true);
    const attributes = parseAttributes(cursor);
    if (cursor.is("=")) {
      report(cursor.diagnostics, "foreignWord", cursor.next().span, ["default arguments: pass the value in each call"]);
      parseAssignment(cursor);
    }
    return { specifiers, declarator, attributes, span: cursor.spanFrom(first) };
  } catch (error) {
    if (!(error instanceof Resynchronize)) throw error;
    cursor.depth = depth;
    // The other parameters and the body are read all the same.
    if (!skipEntry(cursor)) throw error;
    const { span } = first;
    const name = namesBetween(cursor, start, cursor.position).at(-1) ?? null;
    return {
      specifiers: { base: { kind: "missing", span }, qualifiers: noQualifiers(), ...noStorage(), attributes: [], span },
      declarator: { kind: "name", name, span },
      attributes: [],
      span,
    };
  }
}

/** Reports the comma that is missing before another parameter. */
function assumeComma(cursor: Cursor): boolean {
  if (!startsType(cursor, 0) || (isOnNewLine(cursor) && columnOf(cursor.peek()) === 1)) return false;
  reportMissing(cursor, ",", "between the parameters", null);
  return true;
}

function parseParameters(
  cursor: Cursor,
): Pick<Extract<Declarator, { kind: "function" }>, "parameters" | "isVariadic" | "names"> {
  const parameters: ParameterDeclaration[] = [];
  let isVariadic = false;
  const open = cursor.peek(-1);
  const start = cursor.peek();
  if (
    start.kind === IDENTIFIER &&
    !startsType(cursor, 0) &&
    !cursor.words.isKeyword(start.text) &&
    (cursor.is(",", 1) || cursor.is(")", 1))
  )
    return { parameters, isVariadic, names: parseNames(cursor) };
  if (cursor.isWord("void") && cursor.is(")", 1)) cursor.next();
  if (!cursor.is(")"))
    do {
      if (cursor.accept("...")) {
        isVariadic = true;
        break;
      }
      parameters.push(parseParameter(cursor));
    } while (acceptComma(cursor, "between the parameters") || assumeComma(cursor));
  cursor.expect(")", "after the parameters", open);
  return { parameters, isVariadic, names: null };
}

/** Names without types; declarations after the list specify them. */
function parseNames(cursor: Cursor): readonly Token[] {
  const names: Token[] = [];
  do names.push(cursor.expectName("in a list of parameters"));
  while (cursor.accept(","));
  cursor.expect(")", "after the parameters");
  return names;
}

/** A definition of C before prototypes: the types of its parameters are declared between the list and the body. */
function withParameterTypes(cursor: Cursor, declarator: Declarator): Declarator {
  const list = functionDeclarator(declarator);
  if (list === null || list.names === null) return declarator;
  const types = new Map<string, ParameterDeclaration>();
  while (!cursor.is("{") && !cursor.isAtEnd && startsType(cursor, 0)) {
    const first = cursor.peek();
    const specifiers = parseSpecifiers(cursor);
    do {
      const own = parseDeclarator(cursor, true);
      types.set(declaredName(own).name ?? "", {
        specifiers,
        declarator: own,
        attributes: [],
        span: cursor.spanFrom(first),
      });
    } while (cursor.accept(","));
    cursor.expect(";", "after declaration");
  }
  const parameters = list.names.flatMap((name) => {
    const type = types.get(name.text);
    if (type === undefined) report(cursor.diagnostics, "missingType", name.span);
    return type ?? [];
  });
  const filled: Declarator = { ...list, parameters, names: null };
  const rebuild = (part: Declarator): Declarator =>
    part === list ? filled : part.kind === "name" ? part : { ...part, inner: rebuild(part.inner) };
  return rebuild(declarator);
}

/** True for a name that is no type, where only a type can be. */
function isUnknownTypeName(cursor: Cursor): boolean {
  return !startsType(cursor, 0) && !isUnknownSpecifier(cursor) && (cursor.is(")", 1) || cursor.is("*", 1));
}

/** The specifiers that a name is which is no type (reported). */
function unknownSpecifiers(cursor: Cursor): Specifiers {
  const base = unknownType(cursor);
  return { base, qualifiers: NO_QUALIFIERS, ...NO_STORAGE, attributes: NO_ATTRIBUTES, span: base.span };
}

/** Reads a type without a name. */
export function parseTypeName(cursor: Cursor): TypeName {
  const first = cursor.peek();
  const specifiers = isUnknownTypeName(cursor) ? unknownSpecifiers(cursor) : parseSpecifiers(cursor);
  const declarator = parseDeclarator(cursor);
  return { specifiers, declarator, span: cursor.spanFrom(first) };
}

/** Reads an initialiser. */
export function parseInitializer(cursor: Cursor): Initializer {
  return cursor.is("{") ? parseInitializerList(cursor) : parseAssignment(cursor);
}

/** True for `name:`, which GNU has for `.name =`. */
function isOldDesignator(cursor: Cursor): boolean {
  return cursor.peek().kind === IDENTIFIER && cursor.is(":", 1);
}

/** Reads `{ … }`. */
export function parseInitializerList(cursor: Cursor): InitializerList {
  cursor.enter();
  const first = cursor.expect("{", "at the start of an initialiser");
  const items: InitializerItem[] = [];
  while (!cursor.is("}")) {
    const designators = parseDesignators(cursor, false);
    const last = designators.at(-1);
    // GNU's old forms: `name: value`, and `[index] value`.
    const isOld = last === undefined ? isOldDesignator(cursor) : last.kind === "element" && designators.length === 1;
    if (last === undefined && isOld) {
      const name = cursor.next();
      designators.push({ kind: "member", name: name.text, span: name.span });
      cursor.next();
    } else if (last !== undefined && !(isOld && !cursor.is("="))) cursor.expect("=", "after a designator");
    items.push({ designators, value: parseInitializer(cursor) });
    if (!acceptComma(cursor, "between the values")) break;
  }
  cursor.expect("}", "at the end of an initialiser", first);
  cursor.leave();
  return { kind: "list", items, span: cursor.spanFrom(first) };
}

/** What a declarator that has no body cannot be. */
function checkNames(cursor: Cursor, specifiers: Specifiers, declarator: Declarator): void {
  const list = functionDeclarator(declarator);
  const first = list?.names?.[0];
  if (first !== undefined) report(cursor.diagnostics, "missingType", first.span);
  if (specifiers.isInline && list === null) refuseStorage(cursor, specifiers, "here: only functions are inline");
}

/** Attributes that make a vector type of a typedef. */
const MAKES_VECTOR: ReadonlySet<string> = new Set(["ext_vector_type", "vector_size"]);

/** True when a typedef names a vector type. */
function namesVector(
  cursor: Cursor,
  { base, attributes: specifierAttributes }: Specifiers,
  declarator: Declarator,
  attributes: readonly Attribute[],
): boolean {
  if (declarator.kind !== "name") return false;
  return [...specifierAttributes, ...attributes].some(({ name }) => MAKES_VECTOR.has(name))
    ? true
    : base.kind === "named" && cursor.isVectorName(base.name);
}

/** Reads a declaration or, at file level, a function. */
export function parseDeclaration(cursor: Cursor, mayDefine: boolean): Declaration | FunctionDefinition {
  const first = cursor.peek();
  const specifiers = parseSpecifiers(cursor);
  // Most declare one name. A list that grows from nothing makes room for seventeen.
  let names: DeclaredName[] = NO_NAMES;
  const endsHere = hasBody(specifiers.base) && isOnNewLine(cursor) && (startsDeclaration(cursor) || cursor.isAtEnd);
  for (let goesOn = !endsHere; goesOn && !cursor.is(";"); goesOn = cursor.accept(",")) {
    const start: Token = cursor.peek();
    let declarator = parseDeclarator(cursor);
    const { name, span } = declaredName(declarator);
    if (name === null) {
      report(cursor.diagnostics, "expected", span, ["a name", "in a declaration", beforeNext(cursor)]);
      throw new Resynchronize();
    }
    const attributes = parseAttributes(cursor);
    cursor.declare(
      name,
      !specifiers.isTypedef ? "variable" : namesVector(cursor, specifiers, declarator, attributes) ? "vector" : "type",
    );
    if (mayDefine && names.length === 0 && functionDeclarator(declarator)?.names != null && !cursor.is(";"))
      declarator = withParameterTypes(cursor, declarator);
    const isFunction = functionDeclarator(declarator) !== null;
    if (isFunction && names.length === 0 && (cursor.is("{") || isBodyWithoutBrace(cursor, first))) {
      if (mayDefine) return parseBody(cursor, first, specifiers, declarator, attributes);
      // Most probably a brace is missing before it: what comes after is read as if it were there.
      report(
        cursor.diagnostics,
        "nestedFunction",
        declaredName(declarator).span,
        [name],
        cursor.openBlock === null ? {} : { notes: [note('this "{" is still open', cursor.openBlock.span)] },
      );
      cursor.hasUnclosedBlock = true;
      cursor.hoisted.push(parseBody(cursor, first, specifiers, declarator, attributes));
      return { kind: "declaration", specifiers, names, span: cursor.spanFrom(first) };
    }
    checkNames(cursor, specifiers, declarator);
    let initializer: Initializer | null = null;
    if (cursor.accept("=")) {
      const { depth } = cursor;
      try {
        initializer = parseInitializer(cursor);
      } catch (error) {
        if (!(error instanceof Resynchronize)) throw error;
        cursor.depth = depth;
        // The name is known all the same, as an erroneous symbol, so that its uses are not reported.
        cursor.skipStatement();
        const broken: DeclaredName = { declarator: { kind: "name", name, span }, initializer: null, attributes, span };
        return {
          kind: "declaration",
          specifiers: { ...specifiers, base: { kind: "missing", span } },
          names: [...names, broken],
          span: cursor.spanFrom(first),
        };
      }
    }
    if (specifiers.isTypedef && initializer !== null)
      report(cursor.diagnostics, "initializer", initializer.span, ["a typedef names a type and has no value"]);
    const entry = { declarator, initializer, attributes, span: cursor.spanFrom(start) };
    if (names.length === 0) names = [entry];
    else names.push(entry);
  }
  cursor.expect(";", `after ${names.length === 0 ? bodyWord(specifiers.base) : "declaration"}`);
  return { kind: "declaration", specifiers: withTypedefName(specifiers, names), names, span: cursor.spanFrom(first) };
}

/** What a declaration without names declares, in a word. */
function bodyWord(base: BaseType): string {
  if (!hasBody(base)) return "declaration";
  return base.kind === "enum" ? "enum" : base.kind === "record" && base.isUnion ? "union" : "struct";
}

/** A struct without a tag is named by its first typedef. */
function withTypedefName(specifiers: Specifiers, [first]: readonly DeclaredName[]): Specifiers {
  const { base, isTypedef } = specifiers;
  if (!isTypedef || base.kind !== "record" || base.tag !== null || first?.declarator.kind !== "name") return specifiers;
  return { ...specifiers, base: { ...base, typedefName: first.declarator.name } };
}

function columnOf({ outermost: { file, start } }: Token): number {
  return lineAndColumn(file, start).column;
}

/**
 * True when a body follows whose opening brace is missing: the head of a function, and then a token that occurs
 * further to the right. The brace is reported.
 */
function isBodyWithoutBrace(cursor: Cursor, first: Token): boolean {
  const next = cursor.peek();
  if (next.kind !== IDENTIFIER || !isOnNewLine(cursor)) return false;
  if (columnOf(next) <= columnOf(first)) return false;
  const { span } = cursor.peek(-1);
  report(
    cursor.diagnostics,
    "expected",
    { file: span.file, start: span.end, end: span.end },
    ['"{"', "at the start of the function", beforeNext(cursor)],
    { fix: insertAfter(span, " {") },
  );
  return true;
}

function parseBody(
  cursor: Cursor,
  first: Token,
  specifiers: Specifiers,
  declarator: Declarator,
  attributes: readonly Attribute[],
): FunctionDefinition {
  cursor.openScope();
  for (const parameter of functionDeclarator(declarator)?.parameters ?? []) {
    const { name } = declaredName(parameter.declarator);
    if (name !== null) cursor.declare(name, "variable");
  }
  const body = cursor.grammar.compound(cursor);
  cursor.closeScope();
  return { kind: "function", specifiers, declarator, attributes, body, span: cursor.spanFrom(first) };
}
