// SPDX-License-Identifier: Apache-2.0
// Random kernels in TypeScript: variables of several types, expressions over them, branches, loops that end, helper
// functions, vectors. What C leaves open is not generated: divisors are odd, counts of shifts small, indices masked.

/** Random numbers of a seed (a linear congruential generator of 48 bits). */
export class Random {
  private state: bigint;

  constructor(seed: number) {
    this.state = (BigInt(seed) * 0x5deece66dn + 11n) & 0xffffffffffffn;
  }

  /** A whole number below a limit. */
  below(limit: number): number {
    this.state = (this.state * 0x5deece66dn + 11n) & 0xffffffffffffn;
    return Number((this.state >> 16n) % BigInt(limit));
  }

  /** One of a list. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

type Type = "int" | "uint" | "float" | "short" | "uchar" | "long" | "float4" | "int4";
const SCALARS: readonly Type[] = ["int", "uint", "float", "short", "uchar", "long"];
const TYPES: readonly Type[] = [...SCALARS, "float4", "int4"];

interface Variable {
  readonly name: string;
  readonly type: Type;
}

/** The text of a random kernel: `program(item, i: Accessor<int>, f: Accessor<float>)`. */
export function randomProgram(seed: number): string {
  return new Generator(new Random(seed)).program();
}

class Generator {
  private readonly random: Random;
  private variables: Variable[] = [];
  private names = 0;
  private loops = 0;

  constructor(random: Random) {
    this.random = random;
  }

  program(): string {
    const helper = this.helper();
    this.variables = [];
    const head = TYPES.map((type) => this.declaration(type, this.seedOf(type))).join("\n");
    const body = this.statements(6, 2);
    return `${helper}
export const program = kernel((item: Item<1>, i: Accessor<int>, f: Accessor<float>) => {
  const id = item.getId(0);
  let n = i[id];
  let x = f[id];
${head}
${body}
  i[id] = n + ${this.sumOf("int")};
  f[id] = x + ${this.sumOf("float")};
});`;
  }

  private seedOf(type: Type): string {
    const seeds: Readonly<Record<Type, string>> = {
      int: "n",
      uint: "uint(n)",
      float: "x",
      short: "short(n)",
      uchar: "uchar(n)",
      long: "long(n) * 3n",
      float4: "float4(x, 1, x * 0.5, -2)",
      int4: "int4(n, 3, -n, 7)",
    };
    return seeds[type];
  }

  /** A sum of all variables as one type. */
  private sumOf(type: "int" | "float"): string {
    return this.variables
      .map(({ name, type: own }) => {
        if (type === "int")
          return own === "int4" ? `${name}.x` : own.startsWith("float") ? "0" : own === "int" ? name : `int(${name})`;
        return own === "float4" ? `${name}.w` : own === "float" ? name : "0";
      })
      .join(" + ");
  }

  private helper(): string {
    this.variables = [
      { name: "a", type: "int" },
      { name: "b", type: "float" },
    ];
    return (
      `function helperInt(a: int, b: float): int {\n  if (b > ${this.random.below(5)}) return ${this.expression("int", 2)};\n  return ${this.expression("int", 2)};\n}\n` +
      `const helperFloat = (a: int, b: float): float => ${this.expression("float", 2)};`
    );
  }

  private declaration(type: Type, value: string): string {
    const name = `v${this.names++}`;
    this.variables.push({ name, type });
    return `  let ${name}: ${type} = ${value};`;
  }

  private statements(count: number, depth: number): string {
    const before = this.variables.length;
    const text = Array.from({ length: count }, () => this.statement(depth)).join("\n");
    this.variables.length = before;
    return text;
  }

  private statement(depth: number): string {
    const kind = this.random.below(depth > 0 ? 8 : 4);
    const type = this.random.pick(TYPES);
    if (kind === 0) return this.declaration(type, this.expression(type, 3));
    if (kind <= 3) return this.assignment(depth);
    if (kind <= 5)
      return `if (${this.condition()}) {\n${this.statements(2, depth - 1)}\n} else {\n${this.statements(2, depth - 1)}\n}`;
    if (kind === 6) {
      const name = `k${this.loops++}`;
      const jump =
        this.random.below(3) === 0 ? `if (${this.condition()}) ${this.random.pick(["break", "continue"])};\n` : "";
      return `for (let ${name} = 0; ${name} < ${1 + this.random.below(5)}; ${name}++) {\n${jump}${this.statements(2, depth - 1)}\n}`;
    }
    return `switch (${this.expression("int", 1)} & 3) {\ncase 0:\n${this.assignment(0)}\nbreak;\ncase 1:\n${this.assignment(0)}\ndefault:\n${this.assignment(0)}\n}`;
  }

  private assignment(_depth: number): string {
    const { name, type } = this.random.pick(this.variables);
    if (type === "float4" && this.random.below(2) === 0)
      return `${name}.${this.random.pick(["x", "y", "w"])} = ${this.expression("float", 2)};`;
    if (type === "int4" && this.random.below(2) === 0) return `${name}.zx = ${name}.xy;`;
    const compound = type === "float4" || type === "int4" ? "=" : this.random.pick(["=", "+=", "-=", "*="]);
    return `${name} ${compound} ${this.expression(type, 3)};`;
  }

  private condition(): string {
    const type = this.random.pick(SCALARS);
    const one = `${this.expression(type, 1)} ${this.random.pick(["<", "<=", ">", ">=", "===", "!=="])} ${this.expression(type, 1)}`;
    return this.random.below(3) === 0 ? `${one} ${this.random.pick(["&&", "||"])} !(${this.plainCondition()})` : one;
  }

  private plainCondition(): string {
    return `${this.expression("int", 1)} > ${this.random.below(100)}`;
  }

  private variable(type: Type): string | null {
    const fitting = this.variables.filter((one) => one.type === type);
    return fitting.length === 0 ? null : this.random.pick(fitting).name;
  }

  private leaf(type: Type): string {
    const name = this.random.below(4) === 0 ? null : this.variable(type);
    if (name !== null) return name;
    const literals: Readonly<Record<Type, string>> = {
      int: String(this.random.below(2000) - 1000),
      uint: `uint(${this.random.below(5000)})`,
      float: `float(${(this.random.below(4000) - 2000) / 64})`,
      short: `short(${this.random.below(300)})`,
      uchar: `uchar(${this.random.below(256)})`,
      long: `${this.random.below(100_000)}n`,
      float4: `float4(${this.random.below(9)}, 0.5, -1, 2)`,
      int4: `int4(${this.random.below(9)}, 5, -1, 2)`,
    };
    return literals[type].startsWith("-") ? `(${literals[type]})` : literals[type];
  }

  private expression(type: Type, depth: number): string {
    if (depth === 0) return this.leaf(type);
    const of = (inner: Type): string => this.expression(inner, depth - 1);
    if (type === "float4" || type === "int4") return this.vectorExpression(type, depth);
    const kind = this.random.below(9);
    if (type === "float") {
      if (kind === 0) return `float(${of(this.random.pick(["int", "uint", "uchar"]))})`;
      if (kind === 1) return `fabs(${of("float")})`;
      if (kind === 2) return `max(${of("float")}, ${this.leaf("float")})`;
      if (kind === 3) return `(${this.plainCondition()} ? ${of("float")} : ${of("float")})`;
      if (kind === 4) return `floor(${of("float")})`;
      if (kind === 5 && this.names > 0) return `helperFloat(${this.leaf("int")}, ${this.leaf("float")})`;
      return `(${of("float")} ${this.random.pick(["+", "-", "*"])} ${of("float")})`;
    }
    if (kind === 0) {
      const from = this.random.pick(["int", "uint", "short", "uchar", "long"] as const);
      return from === type ? `(-${this.leaf(type)})` : `${type}(${of(from)})`;
    }
    if (kind === 1) return `(~${this.leaf(type)})`;
    if (kind === 2)
      return `(${this.leaf(type)} ${this.random.pick(["<<", ">>"])} ${type === "long" ? "5n" : this.random.below(7)})`;
    if (kind === 3) return `(${this.plainCondition()} ? ${of(type)} : ${of(type)})`;
    if (kind === 4) return type === "long" ? `(${of(type)} % 7n)` : `(${of(type)} % 7)`;
    if (kind === 5) return type === "long" ? `long(${of(type)} / 5n)` : `${type}(${of(type)} / 5)`;
    if (kind === 6)
      return type === "int" && this.names > 0
        ? `helperInt(${this.leaf("int")}, ${this.leaf("float")})`
        : `${this.random.pick(["min", "max", "hadd", "rotate", "add_sat", "mul_hi"])}(${of(type)}, ${of(type)})`;
    return `(${of(type)} ${this.random.pick(["+", "-", "*", "&", "|", "^"])} ${of(type)})`;
  }

  private vectorExpression(type: "float4" | "int4", depth: number): string {
    const of = (): string => this.expression(type, depth - 1);
    const scalar = type === "float4" ? "float" : "int";
    const kind = this.random.below(6);
    if (kind === 0) return `${type}(${this.leaf(scalar)})`;
    if (kind === 1)
      return `${type}(${of()}.${this.random.pick(["xy", "zw", "yx", "wz"])}, ${this.leaf(scalar)}, ${this.leaf(scalar)})`;
    if (kind === 2) return `${of()}.${this.random.pick(["wzyx", "xxyy", "yzwx"])}`;
    if (kind === 3) return `${this.random.pick(["max", "min"])}(${of()}, ${of()})`;
    if (kind === 4)
      return type === "int4" ? `${of()}.${this.random.pick(["and", "xor", "or"])}(${of()})` : `fabs(${of()})`;
    return `${of()}.${this.random.pick(["add", "sub", "mul"])}(${this.random.below(2) === 0 ? this.leaf(scalar) : of()})`;
  }
}
