// SPDX-License-Identifier: Apache-2.0
// The syntax tree: immutable, without types or meanings.
import type { Span } from "@muxkit/report";

import type { Token } from "./lex/token.ts";

/** Address space as a qualifier names it. */
export type AddressSpaceName = "private" | "global" | "constant" | "local" | "generic";

/** Qualifiers at one level of a type. */
export interface Qualifiers {
  readonly isConst: boolean;
  readonly isVolatile: boolean;
  readonly isRestrict: boolean;
  readonly addressSpace: AddressSpaceName | null;
  readonly access: "read_only" | "write_only" | "read_write" | null;
}

/** One attribute: `reqd_work_group_size(8, 8, 1)`. */
export interface Attribute {
  readonly name: string;
  readonly arguments: readonly Expression[];
  /** A type in the position of arguments: `vec_type_hint(float4)`. */
  readonly type: TypeName | null;
  /** The text between the parentheses. */
  readonly text: string;
  readonly span: Span;
}

/** What the specifiers of a declaration name. */
export type BaseType =
  | { readonly kind: "named"; readonly name: string; readonly span: Span }
  // A type that the version or the device does not have: reported.
  | { readonly kind: "missing"; readonly span: Span }
  | { readonly kind: "pipe"; readonly packet: BaseType; readonly span: Span }
  | {
      readonly kind: "typeof";
      readonly type: TypeName | null;
      readonly operand: Expression | null;
      readonly span: Span;
    }
  | {
      readonly kind: "record";
      readonly isUnion: boolean;
      readonly tag: string | null;
      /** The typedef name, if it has no tag. */
      readonly typedefName?: string | null;
      readonly members: readonly MemberDeclaration[] | null;
      readonly asserts: readonly StaticAssert[];
      readonly attributes: readonly Attribute[];
      readonly span: Span;
    }
  | {
      readonly kind: "enum";
      readonly tag: string | null;
      readonly values: readonly EnumValue[] | null;
      readonly attributes: readonly Attribute[];
      readonly span: Span;
    };

/** The storage class that a declaration names. */
export interface StorageClass {
  readonly word: string;
  readonly span: Span;
}

/** One value of an enum. */
export interface EnumValue {
  readonly name: string;
  readonly value: Expression | null;
  readonly span: Span;
}

/** A declaration's specifiers. */
export interface Specifiers {
  readonly base: BaseType;
  readonly qualifiers: Qualifiers;
  readonly isTypedef: boolean;
  readonly isStatic: boolean;
  readonly isExtern: boolean;
  readonly isInline: boolean;
  readonly isKernel: boolean;
  /** The first of its storage classes, `inline` included. */
  readonly storage: StorageClass | null;
  readonly attributes: readonly Attribute[];
  readonly span: Span;
}

/** How a name is wrapped: read from the name outwards. */
export type Declarator =
  | { readonly kind: "name"; readonly name: string | null; readonly span: Span }
  | { readonly kind: "pointer"; readonly qualifiers: Qualifiers; readonly inner: Declarator }
  | { readonly kind: "array"; readonly size: Expression | null; readonly inner: Declarator; readonly span: Span }
  | {
      readonly kind: "function";
      readonly parameters: readonly ParameterDeclaration[];
      readonly isVariadic: boolean;
      /** Names whose types are declared after the list, as C had it at first (C99 6.9.1). */
      readonly names: readonly Token[] | null;
      readonly inner: Declarator;
    };

/** A parameter of a function. */
export interface ParameterDeclaration {
  readonly specifiers: Specifiers;
  readonly declarator: Declarator;
  /** Those after the name. */
  readonly attributes: readonly Attribute[];
  readonly span: Span;
}

/** Members of a struct or union that share their specifiers. */
export interface MemberDeclaration {
  readonly specifiers: Specifiers;
  readonly declarators: readonly { readonly declarator: Declarator; readonly attributes: readonly Attribute[] }[];
  readonly span: Span;
}

/** A type without a name: in casts and sizeof. */
export interface TypeName {
  readonly specifiers: Specifiers;
  readonly declarator: Declarator;
  readonly span: Span;
}

/** One variable, typedef or prototype of a declaration. */
export interface DeclaredName {
  readonly declarator: Declarator;
  readonly initializer: Initializer | null;
  readonly attributes: readonly Attribute[];
  readonly span: Span;
}

/** A declaration. */
export interface Declaration {
  readonly kind: "declaration";
  readonly specifiers: Specifiers;
  readonly names: readonly DeclaredName[];
  readonly span: Span;
}

/** A function with a body. */
export interface FunctionDefinition {
  readonly kind: "function";
  readonly specifiers: Specifiers;
  readonly declarator: Declarator;
  readonly attributes: readonly Attribute[];
  readonly body: CompoundStatement;
  readonly span: Span;
}

/** `_Static_assert(condition, "message")`, which compilers took over from C11. */
export interface StaticAssert {
  readonly kind: "static-assert";
  readonly condition: Expression;
  readonly message: Expression | null;
  readonly span: Span;
}

/** A #pragma between declarations or statements. */
export interface Pragma {
  readonly kind: "pragma";
  readonly text: string;
  readonly span: Span;
}

/** A declaration at file scope. */
export type TopLevelItem = Declaration | FunctionDefinition | StaticAssert | Pragma;

/** An initialiser: an expression, or a list with designators. */
export type Initializer = Expression | InitializerList;

/** `{ a, .x = b, [2] = c }`. */
export interface InitializerList {
  readonly kind: "list";
  readonly items: readonly InitializerItem[];
  readonly span: Span;
}

/** One entry of a list. */
export interface InitializerItem {
  readonly designators: readonly (
    | { readonly kind: "member"; readonly name: string; readonly span: Span }
    | { readonly kind: "element"; readonly index: Expression; readonly last: Expression | null }
  )[];
  readonly value: Initializer;
}

/** An expression. */
export type Expression =
  | { readonly kind: "number"; readonly text: string; readonly span: Span }
  | { readonly kind: "character"; readonly text: string; readonly span: Span }
  | { readonly kind: "string"; readonly texts: readonly string[]; readonly span: Span }
  | { readonly kind: "name"; readonly name: string; readonly span: Span }
  | {
      readonly kind: "call";
      readonly callee: Expression;
      readonly arguments: readonly Expression[];
      readonly span: Span;
    }
  | { readonly kind: "index"; readonly base: Expression; readonly index: Expression; readonly span: Span }
  | {
      readonly kind: "member";
      readonly base: Expression;
      readonly name: string;
      readonly isArrow: boolean;
      readonly nameSpan: Span;
      readonly span: Span;
    }
  | {
      readonly kind: "unary";
      readonly operator: "+" | "-" | "~" | "!" | "*" | "&" | "++" | "--";
      readonly operand: Expression;
      readonly span: Span;
    }
  | { readonly kind: "postfix"; readonly operator: "++" | "--"; readonly operand: Expression; readonly span: Span }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: "assign";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: "conditional";
      readonly condition: Expression;
      readonly whenTrue: Expression | null;
      readonly whenFalse: Expression;
      readonly span: Span;
    }
  | { readonly kind: "cast"; readonly type: TypeName; readonly operand: Expression; readonly span: Span }
  | { readonly kind: "vector"; readonly type: TypeName; readonly elements: readonly Expression[]; readonly span: Span }
  | { readonly kind: "compound-literal"; readonly type: TypeName; readonly value: InitializerList; readonly span: Span }
  | {
      readonly kind: "sizeof";
      readonly type: TypeName | null;
      readonly operand: Expression | null;
      readonly span: Span;
    }
  | {
      readonly kind: "alignof";
      readonly type: TypeName | null;
      readonly operand: Expression | null;
      readonly span: Span;
    }
  | {
      readonly kind: "offsetof";
      readonly type: TypeName;
      readonly path: InitializerItem["designators"];
      readonly span: Span;
    }
  | {
      /** A compiler's built-in that takes types: `__builtin_astype(a, float)`. */
      readonly kind: "builtin-of-types";
      readonly name: string;
      /** The value in front of the types; null: there is none. */
      readonly operand: Expression | null;
      readonly types: readonly TypeName[];
      readonly span: Span;
    }
  | { readonly kind: "statement-expression"; readonly body: CompoundStatement; readonly span: Span }
  | {
      readonly kind: "selection";
      readonly control: Expression;
      readonly associations: readonly { readonly type: TypeName | null; readonly value: Expression }[];
      readonly span: Span;
    }
  | {
      readonly kind: "vec-step";
      readonly type: TypeName | null;
      readonly operand: Expression | null;
      readonly span: Span;
    };

/** `{ … }`. */
export interface CompoundStatement {
  readonly kind: "compound";
  /** It is the block of a function: its scope is that of the parameters (C99 6.2.1). */
  readonly isFunctionBody?: boolean;
  readonly items: readonly (Statement | Declaration | StaticAssert | Pragma)[];
  readonly span: Span;
}

/** The unroll hint of a loop, from the attribute or directive before it. */
export type UnrollHint = "full" | number;

/** A statement. */
export type Statement =
  | CompoundStatement
  | { readonly kind: "expression"; readonly expression: Expression; readonly span: Span }
  | { readonly kind: "empty"; readonly span: Span }
  | {
      readonly kind: "if";
      readonly condition: Expression;
      readonly whenTrue: Statement;
      readonly whenFalse: Statement | null;
      readonly span: Span;
    }
  | {
      readonly kind: "while";
      readonly condition: Expression;
      readonly body: Statement;
      readonly unroll?: UnrollHint;
      readonly span: Span;
    }
  | {
      readonly kind: "do";
      readonly condition: Expression;
      readonly body: Statement;
      readonly unroll?: UnrollHint;
      readonly span: Span;
    }
  | {
      readonly kind: "for";
      readonly start: Declaration | Expression | null;
      readonly condition: Expression | null;
      readonly step: Expression | null;
      readonly body: Statement;
      readonly unroll?: UnrollHint;
      readonly span: Span;
    }
  | { readonly kind: "switch"; readonly value: Expression; readonly body: Statement; readonly span: Span }
  | {
      readonly kind: "attributed";
      readonly attributes: readonly Attribute[];
      readonly body: Statement;
      readonly span: Span;
    }
  | {
      readonly kind: "case";
      readonly value: Expression;
      readonly last: Expression | null;
      readonly body: Statement;
      readonly span: Span;
    }
  | { readonly kind: "default"; readonly body: Statement; readonly span: Span }
  | { readonly kind: "break" | "continue"; readonly span: Span }
  | { readonly kind: "return"; readonly value: Expression | null; readonly span: Span }
  | { readonly kind: "goto"; readonly label: string; readonly span: Span }
  | { readonly kind: "label"; readonly label: string; readonly body: Statement; readonly span: Span };
