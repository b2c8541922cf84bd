// SPDX-License-Identifier: Apache-2.0
// MPFR as a table: what each math function is, to 160 bits.
import { init } from "gmp-wasm";

/** MPFR's functions. */
type Binding = Awaited<ReturnType<typeof init>>["binding"];
/** A number of MPFR. */
type Register = ReturnType<Binding["mpfr_t"]>;
type Unary = (result: Register, x: Register, rounding: number) => number;

/** Bits of results: a double's and as many again, and some for compositions. */
const PRECISION = 160;
const NEAREST = 0;

/** MPFR's names for functions of one number. */
const UNARY: Readonly<Record<string, string>> = {
  acos: "acos",
  acosh: "acosh",
  asin: "asin",
  asinh: "asinh",
  atan: "atan",
  atanh: "atanh",
  cbrt: "cbrt",
  cos: "cos",
  cosh: "cosh",
  erf: "erf",
  erfc: "erfc",
  exp: "exp",
  exp2: "exp2",
  exp10: "exp10",
  expm1: "expm1",
  log: "log",
  log2: "log2",
  log10: "log10",
  log1p: "log1p",
  sin: "sin",
  sinh: "sinh",
  sqrt: "sqrt",
  tan: "tan",
  tanh: "tanh",
  tgamma: "gamma",
  fabs: "abs",
};
const BINARY: Readonly<Record<string, string>> = {
  atan2: "atan2",
  hypot: "hypot",
  pow: "pow",
  remainder: "remainder",
  fmod: "fmod",
  divide: "div",
};

/** MPFR with a few registers. A function leaves its value in {@link Mpfr.value}. */
export class Mpfr {
  /** The result of the last call of {@link Mpfr.evaluate}, as the nearest double. */
  value = 0;
  /** Whether that is all of it, and a power of two. */
  isPower = false;
  readonly #binding: Binding;
  readonly #result: Register;
  readonly #pi: Register;
  readonly #operands: readonly [Register, Register, Register];
  readonly #functions = new Map<string, (operands: readonly number[]) => void>();

  /** Over a binding of `gmp-wasm`; see {@link openMpfr}. */
  constructor(binding: Binding) {
    this.#binding = binding;
    const register = (): Register => {
      const made = binding.mpfr_t();
      binding.mpfr_init2(made, PRECISION);
      return made;
    };
    this.#result = register();
    this.#pi = register();
    this.#operands = [register(), register(), register()];
    binding.mpfr_const_pi(this.#pi, NEAREST);
    this.#fill();
  }

  /** True: there is such a function. */
  knows(name: string): boolean {
    return this.#functions.has(name);
  }

  /** Computes a function. Throws when there is none of that name. */
  evaluate(name: string, operands: readonly number[]): void {
    const evaluate = this.#functions.get(name);
    if (evaluate === undefined) throw new Error(`there is no reference for ${name}`);
    evaluate(operands);
    this.#settle();
  }

  /** Takes a number as the value. */
  take(value: number): void {
    this.#give(value);
    this.#settle();
  }

  /** How far `number` is from the value, in units of `unit`, without rounding in between. */
  distance(number: number, unit: number): number {
    const [a] = this.#operands;
    this.#binding.mpfr_sub_d(a, this.#result, number, NEAREST);
    // Two steps: the least unit of doubles is not a normal number.
    this.#binding.mpfr_div_d(a, a, unit, NEAREST);
    return Math.abs(this.#binding.mpfr_get_d(a, NEAREST));
  }

  /** Whether the value is exactly zero. */
  get isZero(): boolean {
    return this.#binding.mpfr_zero_p(this.#result) !== 0;
  }

  /** Whether the value is infinite, not only greater than every double. */
  get isInfinite(): boolean {
    return this.#binding.mpfr_inf_p(this.#result) !== 0;
  }

  #isPower(): boolean {
    const [a] = this.#operands;
    this.#binding.mpfr_set_ui_2exp(a, 1, this.#binding.mpfr_get_exp(this.#result) - 1, NEAREST);
    return this.#binding.mpfr_cmpabs(a, this.#result) === 0;
  }

  #set(i: 0 | 1 | 2, value: number): Register {
    const register = this.#operands[i];
    this.#binding.mpfr_set_d(register, value, NEAREST);
    return register;
  }

  #give(value: number): void {
    this.#binding.mpfr_set_d(this.#result, value, NEAREST);
  }

  #settle(): void {
    this.value = this.#binding.mpfr_get_d(this.#result, NEAREST);
    this.isPower = this.value !== 0 && Math.abs(this.value) < Infinity && this.#isPower();
  }

  /**
   * sin, cos or tan of pi times a number: reduced exactly first, and exact where the angle is a multiple of a quarter
   * turn.
   */
  #turned(name: "sin" | "cos" | "tan", x: number): void {
    const binding = this.#binding;
    if (!Number.isFinite(x)) return this.#give(NaN);
    const r = x % 2;
    const quarters = r * 2;
    if (Number.isInteger(quarters)) return this.#give(exactTurn(name, x, ((quarters % 4) + 4) % 4));
    binding.mpfr_mul(this.#result, this.#set(0, r), this.#pi, NEAREST);
    binding[`mpfr_${name}`](this.#result, this.#result, NEAREST);
  }

  #unary(name: string): Unary {
    const found: unknown = Reflect.get(this.#binding, `mpfr_${name}`);
    if (typeof found !== "function") throw new Error(`MPFR has no ${name}`);
    return found as Unary;
  }

  #fill(): void {
    const binding = this.#binding;
    const result = this.#result;
    const put = (name: string, evaluate: (x: number, y: number, z: number) => void): void =>
      void this.#functions.set(name, ([x = 0, y = 0, z = 0]) => evaluate(x, y, z));
    for (const [name, theirs] of Object.entries(UNARY)) {
      const evaluate = this.#unary(theirs);
      put(name, (x) => void evaluate(result, this.#set(0, x), NEAREST));
    }
    for (const [name, theirs] of Object.entries(BINARY)) {
      const evaluate: unknown = Reflect.get(binding, `mpfr_${theirs}`);
      if (typeof evaluate !== "function") throw new Error(`MPFR has no ${theirs}`);
      const call = evaluate as (result: Register, x: Register, y: Register, rounding: number) => number;
      put(name, (x, y) => void call(result, this.#set(0, x), this.#set(1, y), NEAREST));
    }
    for (const name of ["sin", "cos", "tan"] as const) put(`${name}pi`, (x) => this.#turned(name, x));
    for (const name of ["asin", "acos", "atan"] as const) {
      put(`${name}pi`, (x) => {
        binding[`mpfr_${name}`](result, this.#set(0, x), NEAREST);
        binding.mpfr_div(result, result, this.#pi, NEAREST);
      });
    }
    put("atan2pi", (y, x) => {
      binding.mpfr_atan2(result, this.#set(0, y), this.#set(1, x), NEAREST);
      binding.mpfr_div(result, result, this.#pi, NEAREST);
    });
    const sign = binding.malloc(4);
    put("lgamma", (x) => void binding.mpfr_lgamma(result, sign, this.#set(0, x), NEAREST));
    put("powr", (x, y) => {
      if (
        x < 0 ||
        (x === 1 && Math.abs(y) === Infinity) ||
        ((x === 0 || x === Infinity) && y === 0) ||
        Number.isNaN(x) ||
        Number.isNaN(y)
      )
        return this.#give(NaN);
      binding.mpfr_pow(result, this.#set(0, Math.abs(x)), this.#set(1, y), NEAREST);
    });
    put("pown", (x, n) => void binding.mpfr_pow_si(result, this.#set(0, x), n, NEAREST));
    put("rootn", (x, n) => this.#root(x, n));
    put("fma", (x, y, z) => void binding.mpfr_fma(result, this.#set(0, x), this.#set(1, y), this.#set(2, z), NEAREST));
    put("ldexp", (x, n) => void binding.mpfr_mul_2si(result, this.#set(0, x), n, NEAREST));
    put("fdim", (x, y) => {
      if (x <= y) return this.#give(0);
      binding.mpfr_sub(result, this.#set(0, x), this.#set(1, y), NEAREST);
    });
    put("rsqrt", (x) => {
      // IEEE 754 has an infinity of the zero's sign, MPFR always the positive one.
      if (x === 0) return this.#give(1 / x);
      binding.mpfr_rec_sqrt(result, this.#set(0, x), NEAREST);
    });
    put("recip", (x) => void binding.mpfr_div(result, this.#set(0, 1), this.#set(1, x), NEAREST));
    put("degrees", (x) => {
      binding.mpfr_mul_ui(result, this.#set(0, x), 180, NEAREST);
      binding.mpfr_div(result, result, this.#pi, NEAREST);
    });
    put("radians", (x) => {
      binding.mpfr_mul(result, this.#set(0, x), this.#pi, NEAREST);
      binding.mpfr_div_ui(result, result, 180, NEAREST);
    });
    for (const [name, exact] of Object.entries(EXACT)) put(name, (x, y) => this.#give(exact(x, y)));
  }

  #root(x: number, n: number): void {
    const binding = this.#binding;
    const isOdd = n % 2 !== 0;
    if (n === 0 || Number.isNaN(x) || (x < 0 && !isOdd)) return this.#give(NaN);
    if (x === 0) return this.#give(n > 0 ? (isOdd ? x : 0) : isOdd ? 1 / x : Infinity);
    if (!Number.isFinite(x)) return this.#give(n > 0 ? x : isOdd ? 1 / x : 0);
    binding.mpfr_rootn_ui(this.#result, this.#set(0, Math.abs(x)), Math.abs(n), NEAREST);
    if (n < 0) binding.mpfr_ui_div(this.#result, 1, this.#result, NEAREST);
    if (x < 0) binding.mpfr_neg(this.#result, this.#result, NEAREST);
  }
}

/**
 * sinpi, cospi and tanpi of x where 2 x is whole; `quarter`: 2 x modulo 4. Signs of zeros as section 7.5.1 of the
 * specification has them.
 */
function exactTurn(name: "sin" | "cos" | "tan", x: number, quarter: number): number {
  const isNegative = x < 0 || Object.is(x, -0);
  if (name === "cos") return [1, 0, -1, 0][quarter] ?? 0;
  if (name === "sin") return quarter % 2 === 0 ? (isNegative ? -0 : 0) : quarter === 1 ? 1 : -1;
  // tanpi(n) is +-0 for even n, the other zero for odd ones; tanpi(n + 1/2) is +infinity for even n, -infinity for odd
  // ones.
  if (quarter % 2 === 0) return (quarter === 0) === isNegative ? -0 : 0;
  return quarter === 1 ? Infinity : -Infinity;
}

const truncated = (x: number): number => Math.trunc(x);
const isNumber = (x: number): boolean => !Number.isNaN(x);

/** Functions whose values are numbers of the operands' format. */
const EXACT: Readonly<Record<string, (x: number, y: number) => number>> = {
  ceil: Math.ceil,
  floor: Math.floor,
  trunc: truncated,
  rint: (x) => (Math.abs(x) >= 2 ** 52 || !isNumber(x) ? x : signed(Math.abs(x) + 2 ** 52 - 2 ** 52, x)),
  round: (x) =>
    Math.abs(x) >= 2 ** 52 || !isNumber(x)
      ? x
      : signed(Math.trunc(Math.abs(x)) + (Math.abs(x) - Math.trunc(Math.abs(x)) >= 0.5 ? 1 : 0), x),
  logb: (x) => (x === 0 ? -Infinity : Number.isFinite(x) ? binaryExponent(Math.abs(x)) : x * x),
  copysign: (x, y) => signed(Math.abs(x), y),
  fmax: (x, y) => (isNumber(x) ? (isNumber(y) ? Math.max(x, y) : x) : y),
  fmin: (x, y) => (isNumber(x) ? (isNumber(y) ? Math.min(x, y) : x) : y),
  maxmag: (x, y) => (Math.abs(x) > Math.abs(y) ? x : Math.abs(y) > Math.abs(x) ? y : (EXACT["fmax"]?.(x, y) ?? NaN)),
  minmag: (x, y) => (Math.abs(x) < Math.abs(y) ? x : Math.abs(y) < Math.abs(x) ? y : (EXACT["fmin"]?.(x, y) ?? NaN)),
};

function signed(magnitude: number, sign: number): number {
  return sign < 0 || Object.is(sign, -0) ? -magnitude : magnitude;
}

function binaryExponent(x: number): number {
  return x < 2 ** -1022
    ? binaryExponent(x * 2 ** 60) - 60
    : Math.floor(Math.log2(x)) - (2 ** Math.floor(Math.log2(x)) > x ? 1 : 0);
}

/** Loads MPFR: 5 ms. */
export async function openMpfr(): Promise<Mpfr> {
  const { binding } = await init();
  return new Mpfr(binding);
}
