// SPDX-License-Identifier: Apache-2.0
// The typed tree of kernels and device functions: what the translator makes of syntax, and the writers write.
import type {
  ElementType,
  GroupScope,
  KernelParameter,
  RecordElement,
  ScalarElement,
  TranslatedConstant,
} from "@muxkit/kernel-library";
import type { Span } from "@muxkit/report";

import type { KernelType, MemoryType } from "./kernel-type.ts";

/** A variable or parameter of a function. */
export interface Variable {
  /** Name in TypeScript. */
  readonly name: string;
  /** Name in OpenCL C. */
  readonly cName: string;
  readonly type: KernelType;
  readonly isConst: boolean;
  /** A `const` of a number that adapts: it stands for the number. */
  readonly value?: Literal;
}

/** Operators of two operands of one type. Shifts take any integer at the right. */
export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "<<"
  | ">>"
  | "&"
  | "|"
  | "^"
  | "<"
  | "<="
  | ">"
  | ">="
  | "=="
  | "!="
  | "&&"
  | "||";

interface Node {
  readonly type: KernelType;
  readonly span: Span;
}

/** A number, or a truth value. A bigint where its type is a long. */
export interface Literal extends Node {
  readonly op: "literal";
  readonly value: number | bigint | boolean;
}

/** The order and scope of an atomic operation. */
export interface AtomicPlace {
  readonly order: string;
  readonly scope: string;
}

/** Expressions; each has its type. */
export type Expression =
  | Literal
  | (Node & { readonly op: "invalid" })
  | (Node & { readonly op: "variable"; readonly variable: Variable })
  | (Node & { readonly op: "table"; readonly table: ConstantTable })
  | (Node & { readonly op: "spec-constant"; readonly constant: SpecConstant })
  | (Node & {
      readonly op: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    })
  | (Node & { readonly op: "unary"; readonly operator: "-" | "~" | "!"; readonly operand: Expression })
  | (Node & {
      readonly op: "conditional";
      readonly condition: Expression;
      readonly whenTrue: Expression;
      readonly whenFalse: Expression;
      /** Both sides are numbers as they are written, which take the type of what they meet. */
      readonly numbers?: readonly [whenTrue: Expression, whenFalse: Expression];
    })
  | (Node & { readonly op: "convert"; readonly operand: Expression })
  | (Node & { readonly op: "call"; readonly callee: DeviceFunction; readonly arguments: readonly Expression[] })
  | (Node & { readonly op: "builtin"; readonly name: string; readonly arguments: readonly Expression[] })
  | (Node & { readonly op: "vector"; readonly arguments: readonly Expression[] })
  | (Node & { readonly op: "record"; readonly arguments: readonly Expression[] })
  | (Node & { readonly op: "swizzle"; readonly object: Expression; readonly lanes: readonly number[] })
  | (Node & { readonly op: "lane"; readonly object: Expression; readonly index: Expression })
  | (Node & { readonly op: "field"; readonly object: Expression; readonly name: string })
  | (Node & { readonly op: "index"; readonly memory: Expression; readonly indices: readonly Expression[] })
  | (Node & { readonly op: "assign"; readonly target: Expression; readonly value: Expression })
  | (Node & { readonly op: "step"; readonly target: Expression; readonly by: 1 | -1; readonly isPrefix: boolean })
  | (Node & {
      readonly op: "item";
      readonly query: string;
      readonly dimension: number | null;
      readonly userDimension: number | null;
    })
  | (Node & { readonly op: "barrier"; readonly fence: "local" | "global" | "both"; readonly scope: GroupScope })
  | (Node & {
      readonly op: "atomic";
      readonly operation: string;
      readonly target: Expression;
      readonly arguments: readonly Expression[];
    } & AtomicPlace)
  | (Node & {
      readonly op: "image";
      readonly operation: "read" | "write" | "range";
      readonly image: Variable;
      /** Coordinates and the color; the dimension of a range is a literal. */
      readonly arguments: readonly Expression[];
    })
  | (Node & {
      readonly op: "combine";
      readonly variable: Variable;
      readonly value: Expression;
      /** The two, combined. */
      readonly combination: Combination;
    })
  | (Node & { readonly op: "print"; readonly parts: readonly (string | Expression)[] });

/** What two values of a reduction are combined to. */
export type Combination = (left: Expression, right: Expression) => Expression;

/** A parameter of a kernel that combines values. */
export interface ReducerTree {
  readonly variable: Variable;
  readonly element: ElementType;
  readonly combination: Combination;
  /** Name of the kernel that combines the partial results. */
  readonly finish: string;
}

/** An arm of a switch. */
export interface SwitchArm {
  /** Null: default. */
  readonly label: Expression | null;
  readonly body: readonly Statement[];
}

/** Statements. */
export type Statement = { readonly span: Span } & (
  | { readonly op: "declare"; readonly variable: Variable; readonly value: Expression | null }
  | {
      readonly op: "array";
      readonly variable: Variable;
      readonly memory: MemoryType;
      readonly values: readonly Expression[];
    }
  | { readonly op: "expression"; readonly value: Expression }
  | {
      readonly op: "if";
      readonly condition: Expression;
      readonly whenTrue: Statement;
      readonly otherwise: Statement | null;
    }
  | {
      readonly op: "for";
      readonly label: string | null;
      readonly first: readonly Statement[];
      readonly condition: Expression | null;
      readonly step: readonly Expression[];
      readonly body: Statement;
    }
  | { readonly op: "while"; readonly label: string | null; readonly condition: Expression; readonly body: Statement }
  | { readonly op: "do"; readonly label: string | null; readonly condition: Expression; readonly body: Statement }
  | {
      readonly op: "switch";
      readonly label: string | null;
      readonly value: Expression;
      readonly arms: readonly SwitchArm[];
    }
  | { readonly op: "jump"; readonly kind: "break" | "continue"; readonly label: string | null }
  | { readonly op: "return"; readonly value: Expression | null }
  | { readonly op: "block"; readonly body: readonly Statement[] }
);

/** A table of constants of a module. */
export interface ConstantTable {
  readonly cName: string;
  readonly element: ElementType;
  readonly values: readonly Literal[];
}

/** A specialization constant of a file. */
export interface SpecConstant extends TranslatedConstant {
  readonly type: ScalarElement;
  readonly cName: string;
}

/** A function that kernels call. */
export interface DeviceFunction {
  readonly cName: string;
  readonly span: Span;
  readonly parameters: readonly Variable[];
  /** Known after its body: not while that is translated. */
  result: KernelType;
  body: readonly Statement[];
  /** What it uses, by its callees too. */
  readonly uses: Uses;
}

/** What a function or kernel uses of the file. */
export interface Uses {
  readonly constants: Set<SpecConstant>;
  readonly tables: Set<ConstantTable>;
  readonly records: Set<RecordElement>;
  readonly functions: Set<DeviceFunction>;
  /** Local arrays, which OpenCL C declares at the head of a kernel. */
  readonly locals: Variable[];
  /** It may wait at a barrier. */
  waits: boolean;
}

/** A kernel. */
export interface KernelTree {
  readonly name: string;
  readonly cName: string;
  readonly span: Span;
  readonly item: { readonly kind: "item" | "nd-item" | "none"; readonly dimensions: 1 | 2 | 3; readonly name: string };
  readonly variables: readonly Variable[];
  readonly parameters: readonly KernelParameter[];
  readonly reducers: readonly ReducerTree[];
  readonly body: readonly Statement[];
  readonly uses: Uses;
  /** From an option of `kernel`: the size of its work-groups. */
  readonly groupSize: readonly number[] | null;
  /** The same: items of a sub-group. */
  readonly subGroupSize: number | null;
}
