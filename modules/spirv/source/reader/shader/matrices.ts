// SPDX-License-Identifier: Apache-2.0
// Matrices: lists of columns, computed column by column. Products add the terms in the order of the columns.
import { Op, type Type, type Value, constantFloat, scalarOf, vectorType } from "@muxkit/ir";

import { type Handler, type HandlerTable, floatFlagsOf } from "../arithmetic.ts";
import type { FunctionReader } from "../function-reader.ts";
import { Aggregate, type Operand } from "../operand.ts";

/** The columns of operand word `index`. */
export function columnsOf(f: FunctionReader, index: number): readonly Value[] {
  const operand = f.operand(f.i.word(index));
  if (operand.kind !== "aggregate" || f.argType(index).kind !== "matrix")
    return f.refuse("the operand must be a matrix");
  return operand.parts.map((part) => f.valueOf(part));
}

/** An operation on floats with the flags of the result. */
export function floats(f: FunctionReader, op: number, ...operands: Value[]): Value {
  const [first] = operands;
  if (first === undefined || operands.some(({ type }) => type !== first.type) || scalarOf(first.type).kind !== "float")
    return f.refuse("the operands must be floats of one type");
  const made = f.op(op, first.type, ...operands);
  made.flags = floatFlagsOf(f);
  return made;
}

/** A scalar in every lane. */
export function spread(f: FunctionReader, scalar: Value, type: Type): Value {
  return type.kind === "vector" ? f.b.splat(scalar, type.count) : scalar;
}

/** The lanes of a vector; of a scalar itself. */
export function lanesOf(f: FunctionReader, value: Value): Value[] {
  return value.type.kind === "vector"
    ? Array.from({ length: value.type.count }, (_, n) => f.b.extract(value, n))
    : [value];
}

/** The sum of values, in order. */
function sumOf(f: FunctionReader, values: readonly Value[]): Value {
  return values.reduce((sum, value) => floats(f, Op.FADD, sum, value));
}

/** Columns times the lanes of a vector, summed up. */
function timesVector(f: FunctionReader, columns: readonly Value[], vector: Value): Value {
  const factors = lanesOf(f, vector);
  if (factors.length !== columns.length) return f.refuse("the vector has other lanes than the matrix has columns");
  const products = columns.map((column, n) => {
    const factor = factors[n];
    return factor === undefined ? column : floats(f, Op.FMUL, column, spread(f, factor, column.type));
  });
  return sumOf(f, products);
}

/** The products of a vector with each column. */
function vectorTimes(f: FunctionReader, vector: Value, columns: readonly Value[]): Value {
  return f.b.build(columns.map((column) => sumOf(f, lanesOf(f, floats(f, Op.FMUL, vector, column)))));
}

function transposed(f: FunctionReader, columns: readonly Value[]): readonly Value[] {
  const lanes = columns.map((column) => lanesOf(f, column));
  const [first = []] = lanes;
  return first.map((_, row) => f.b.build(lanes.map((column) => column[row] ?? f.refuse("columns have one length"))));
}

/** A determinant by its first row; terms of three and more rows are determinants themselves. */
function determinantOf(f: FunctionReader, rows: readonly (readonly Value[])[]): Value {
  const [first = [], ...others] = rows;
  const [only] = first;
  if (only !== undefined && first.length === 1) return only;
  const terms = first.map((value, column) => {
    const minor = others.map((row) => row.filter((_, n) => n !== column));
    return floats(f, Op.FMUL, value, determinantOf(f, minor));
  });
  return terms.reduce((sum, term, n) => floats(f, n % 2 === 1 ? Op.FSUB : Op.FADD, sum, term));
}

function squareOf(f: FunctionReader, index: number): readonly (readonly Value[])[] {
  const columns = columnsOf(f, index).map((column) => lanesOf(f, column));
  return columns.every(({ length }) => length === columns.length) ? columns : f.refuse("the matrix must be square");
}

/** Determinant of the matrix at operand word `index`; that of columns is that of rows. */
export const determinant =
  (index: number): Handler =>
  (f) =>
    determinantOf(f, squareOf(f, index));

/** The inverse: cofactors, transposed, divided by the determinant. */
export const inverse =
  (index: number): Handler =>
  (f) => {
    const columns = squareOf(f, index);
    const size = columns.length;
    const cofactor = (row: number, column: number): Value => {
      const minor = columns.filter((_, n) => n !== column).map((lanes) => lanes.filter((_, n) => n !== row));
      const value = determinantOf(f, minor);
      return (row + column) % 2 === 0 ? value : floats(f, Op.FNEG, value);
    };
    const cofactors = columns.map((_, column) => columns.map((__, row) => cofactor(row, column)));
    const [first = []] = columns;
    const terms = first.map((value, row) => floats(f, Op.FMUL, value, cofactors[0]?.[row] ?? value));
    const whole = sumOf(f, terms);
    const one = floats(f, Op.FDIV, constantFloat(whole.type, 1), whole);
    const type = vectorType(whole.type, size);
    return new Aggregate(
      columns.map((_, row) => {
        const lanes = columns.map((__, column) => cofactors[column]?.[row] ?? whole);
        return floats(f, Op.FMUL, f.b.build(lanes), spread(f, one, type));
      }),
    );
  };

const matrix = (columns: readonly Operand[]): Operand => new Aggregate(columns);

/** Rows of matrices. */
export const MATRICES: HandlerTable = {
  OpTranspose: (f) => matrix(transposed(f, columnsOf(f, 0))),
  OpMatrixTimesScalar: (f) => {
    const factor = f.arg(1);
    return matrix(columnsOf(f, 0).map((column) => floats(f, Op.FMUL, column, spread(f, factor, column.type))));
  },
  OpVectorTimesMatrix: (f) => vectorTimes(f, f.arg(0), columnsOf(f, 1)),
  OpMatrixTimesVector: (f) => timesVector(f, columnsOf(f, 0), f.arg(1)),
  OpMatrixTimesMatrix: (f) => {
    const left = columnsOf(f, 0);
    return matrix(columnsOf(f, 1).map((column) => timesVector(f, left, column)));
  },
  OpOuterProduct: (f) => {
    const column = f.arg(0);
    return matrix(lanesOf(f, f.arg(1)).map((lane) => floats(f, Op.FMUL, column, spread(f, lane, column.type))));
  },
};
