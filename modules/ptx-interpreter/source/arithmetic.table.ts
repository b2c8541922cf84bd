// SPDX-License-Identifier: Apache-2.0
/**
 * What instructions without effects compute, lane by lane: PTX ISA 7.8, chapter 9.7. `step.ts` says what the letters
 * mean. Approximations are rounded correctly here, which is within the bounds that are documented for them.
 */
import type { Letter, Row } from "./step.ts";

const table = new Map<string, Row>();

function add(opcode: string, letters: string, value: string): void {
  table.set(opcode, { letters, value });
}

/** Ints of up to 32 bits, by type. */
const NARROW: readonly (readonly [type: string, letter: Letter])[] = [
  ["s16", "v"],
  ["u16", "w"],
  ["s32", "s"],
  ["u32", "u"],
];

function threeOf(letter: Letter): string {
  return letter.repeat(3);
}

function sums(): void {
  for (const [type, letter] of NARROW) {
    add(`add.${type}`, threeOf(letter), "A+B");
    add(`sub.${type}`, threeOf(letter), "A-B");
    add(`mul.lo.${type}`, threeOf(letter), "Math.imul(A,B)");
    add(`mad.lo.${type}`, letter.repeat(4), "Math.imul(A,B)+C");
    add(`div.${type}`, threeOf(letter), "B===0?-1:A/B");
    add(`rem.${type}`, threeOf(letter), "B===0?-1:A%B");
    add(`min.${type}`, threeOf(letter), "A<B?A:B");
    add(`max.${type}`, threeOf(letter), "A>B?A:B");
  }
  for (const [type, letter, product] of [
    ["s16", "v", "A*B>>16"],
    ["u16", "w", "A*B>>>16"],
    ["s32", "s", "signedHighProduct(A,B)"],
    ["u32", "u", "highProduct(A,B)"],
  ] as const)
    add(`mul.hi.${type}`, threeOf(letter), product);
  add("mad.hi.s32", "ssss", "signedHighProduct(A,B)+C");
  add("mad.hi.u32", "uuuu", "highProduct(A,B)+C");
  add("mul.wide.s16", "svv", "A*B");
  add("mul.wide.u16", "uww", "A*B");
  for (const type of ["s32", "s16"]) {
    const letter = type === "s32" ? "s" : "v";
    add(`neg.${type}`, letter.repeat(2), "-A");
    add(`abs.${type}`, letter.repeat(2), "A<0?-A:A");
  }
}

const SUM_64 = "const x=Al>>>0,y=x+(Bl>>>0);Dh=Ah+Bh+(y>4294967295?1:0);Dl=y";
const DIFFERENCE_64 = "const x=Al>>>0,y=Bl>>>0;Dh=Ah-Bh-(x<y?1:0);Dl=x-y";
const PRODUCT_64 = "const x=Al,y=Bl,z=highProduct(x,y)+Math.imul(Ah,y)+Math.imul(x,Bh);Dl=Math.imul(x,y);Dh=z";

function wideSums(): void {
  for (const type of ["s64", "u64"]) {
    const isSigned = type === "s64";
    const kind = isSigned ? "Signed" : "Unsigned";
    const whole = isSigned ? "signed64" : "unsigned64";
    add(`add.${type}`, "lll", SUM_64);
    add(`sub.${type}`, "lll", DIFFERENCE_64);
    add(`mul.lo.${type}`, "lll", PRODUCT_64);
    add(
      `mad.lo.${type}`,
      "llll",
      "const x=Al,y=Bl,h=highProduct(x,y)+Math.imul(Ah,y)+Math.imul(x,Bh)+Ch,z=(Math.imul(x,y)>>>0)+(Cl>>>0);" +
        "Dl=z;Dh=h+(z>4294967295?1:0)",
    );
    add(`mul.hi.${type}`, "lll", `putHighProduct(r,D,${whole}(Al,Ah),${whole}(Bl,Bh))`);
    add(`div.${type}`, "lll", `put${kind}Division(r,D,false,Al,Ah,Bl,Bh)`);
    add(`rem.${type}`, "lll", `put${kind}Division(r,D,true,Al,Ah,Bl,Bh)`);
    const high = isSigned ? "Ah<Bh" : "(Ah>>>0)<(Bh>>>0)";
    const isLess = `(Ah===Bh?(Al>>>0)<(Bl>>>0):${high})`;
    add(`min.${type}`, "lll", `const x=${isLess},y=x?Al:Bl,z=x?Ah:Bh;Dl=y;Dh=z`);
    add(`max.${type}`, "lll", `const x=${isLess},y=x?Bl:Al,z=x?Bh:Ah;Dl=y;Dh=z`);
    const product = isSigned ? "signedHighProduct" : "highProduct";
    const letter = isSigned ? "s" : "u";
    add(`mul.wide.${letter}32`, `l${letter}${letter}`, `const x=A,y=B;Dl=Math.imul(x,y);Dh=${product}(x,y)`);
    add(
      `mad.wide.${letter}32`,
      `l${letter}${letter}l`,
      `const x=A,y=B,z=(Math.imul(x,y)>>>0)+(Cl>>>0);Dh=${product}(x,y)+Ch+(z>4294967295?1:0);Dl=z`,
    );
  }
  const negation = "const x=Al>>>0;Dh=-Ah-(x===0?0:1);Dl=-x";
  add("neg.s64", "ll", negation);
  add("abs.s64", "ll", `if(Ah<0){${negation}}else{Dh=Ah;Dl=Al}`);
}

function logic(): void {
  for (const [name, sign] of [
    ["and", "&"],
    ["or", "|"],
    ["xor", "^"],
  ] as const) {
    add(`${name}.pred`, "ppp", `A${sign}B`);
    add(`${name}.b16`, "www", `A${sign}B`);
    add(`${name}.b32`, "sss", `A${sign}B`);
    add(`${name}.b64`, "lll", `Dl=Al${sign}Bl;Dh=Ah${sign}Bh`);
  }
  add("not.pred", "pp", "A^1");
  add("not.b16", "ww", "~A");
  add("not.b32", "ss", "~A");
  add("not.b64", "ll", "Dl=~Al;Dh=~Ah");
  add("lop3.b32", "ssssk", "logic3(A,B,C,E)");
  add("prmt.b32", "ssss", "permutedBytes(A,B,C)");
}

function shifts(): void {
  add("shl.b16", "wwu", "B>15?0:A<<B");
  add("shl.b32", "ssu", "B>31?0:A<<B");
  add("shl.b64", "llu", "putShiftLeft(r,D,Al,Ah,B)");
  for (const kind of ["b", "u"]) {
    add(`shr.${kind}16`, "wwu", "B>15?0:A>>>B");
    add(`shr.${kind}32`, "uuu", "B>31?0:A>>>B");
    add(`shr.${kind}64`, "llu", "putShiftRight(r,D,Al,Ah,B,0)");
  }
  add("shr.s16", "vvu", "A>>(B>31?31:B)");
  add("shr.s32", "ssu", "A>>(B>31?31:B)");
  add("shr.s64", "llu", "putShiftRight(r,D,Al,Ah,B,Ah>>31)");
  // Two words, `B` above `A`, moved by `C`: the high word to the left, the low one to the right.
  add("shf.l.wrap.b32", "sssu", "(C&31)===0?B:B<<(C&31)|A>>>32-(C&31)");
  add("shf.r.wrap.b32", "sssu", "(C&31)===0?A:A>>>(C&31)|B<<32-(C&31)");
  add("shf.l.clamp.b32", "sssu", "C===0?B:C>31?A:B<<C|A>>>32-C");
  add("shf.r.clamp.b32", "sssu", "C===0?A:C>31?B:A>>>C|B<<32-C");
}

function bits(): void {
  add("bfe.u32", "ssss", "bitField(A,B,C,false)");
  add("bfe.s32", "ssss", "bitField(A,B,C,true)");
  add("bfi.b32", "sssss", "withField(A,B,C,E)");
  add("brev.b32", "ss", "reversed(A)");
  add("brev.b64", "ll", "const x=reversed(Al);Dl=reversed(Ah);Dh=x");
  add("clz.b32", "ss", "Math.clz32(A)");
  add("clz.b64", "sl", "Ah===0?32+Math.clz32(Al):Math.clz32(Ah)");
  add("popc.b32", "ss", "countOnes(A)");
  add("popc.b64", "sl", "countOnes(Al)+countOnes(Ah)");
  add("bfind.u32", "ss", "31-Math.clz32(A)");
  add("bfind.s32", "ss", "31-Math.clz32(A^A>>31)");
}

function moves(): void {
  for (const [types, letter] of [
    [["pred"], "p"],
    [["b16", "u16", "s16", "f16"], "w"],
    [["b32", "u32", "s32", "f32"], "s"],
  ] as const)
    for (const type of types) {
      add(`mov.${type}`, letter.repeat(2), "A");
      if (type !== "pred") add(`selp.${type}`, `${letter.repeat(3)}p`, "C?A:B");
    }
  for (const type of ["b64", "u64", "s64", "f64"]) {
    add(`mov.${type}`, "ll", "Dl=Al;Dh=Ah");
    add(`selp.${type}`, "lllp", "const x=C?Al:Bl,y=C?Ah:Bh;Dl=x;Dh=y");
  }
}

const ORDERED: Readonly<Record<string, string>> = { eq: "===", ne: "!==", lt: "<", le: "<=", gt: ">", ge: ">=" };

function integerComparisons(): void {
  for (const [relation, sign] of Object.entries(ORDERED)) {
    const isEquality = relation === "eq" || relation === "ne";
    for (const [type, letter] of NARROW) add(`setp.${relation}.${type}`, `p${letter}${letter}`, `A${sign}B`);
    for (const type of ["s64", "u64", "b64"]) {
      if (type === "b64" && !isEquality) continue;
      const high = type === "s64" ? "" : ">>>0";
      add(
        `setp.${relation}.${type}`,
        "pll",
        isEquality
          ? relation === "eq"
            ? "Al===Bl&&Ah===Bh"
            : "Al!==Bl||Ah!==Bh"
          : `Ah===Bh?(Al>>>0)${sign}(Bl>>>0):(Ah${high})${sign.slice(0, 1)}(Bh${high})`,
      );
    }
    if (isEquality) {
      add(`setp.${relation}.b16`, "pww", `A${sign}B`);
      add(`setp.${relation}.b32`, "pss", `A${sign}B`);
    }
  }
}

/** Floats by type: letter, and the opcode's ending. */
const FLOATS: readonly (readonly [type: string, letter: Letter])[] = [
  ["f16", "h"],
  ["f32", "f"],
  ["f64", "g"],
];

const UNORDERED: Readonly<Record<string, string>> = {
  equ: "!(A<B||A>B)",
  neu: "A!==B",
  ltu: "!(A>=B)",
  leu: "!(A>B)",
  gtu: "!(A<=B)",
  geu: "!(A<B)",
  num: "A===A&&B===B",
  nan: "A!==A||B!==B",
};

function floats(): void {
  for (const [type, letter] of FLOATS) {
    const three = threeOf(letter);
    for (const [relation, sign] of Object.entries(ORDERED))
      add(`setp.${relation}.${type}`, `p${letter}${letter}`, relation === "ne" ? "A<B||A>B" : `A${sign}B`);
    for (const [relation, value] of Object.entries(UNORDERED))
      add(`setp.${relation}.${type}`, `p${letter}${letter}`, value);
    add(`add.rn.${type}`, three, "A+B");
    add(`sub.rn.${type}`, three, "A-B");
    add(`mul.rn.${type}`, three, "A*B");
    add(`fma.rn.${type}`, letter.repeat(4), `fuse${type.slice(1)}(A,B,C)`);
    add(`min.${type}`, three, "least(A,B)");
    add(`max.${type}`, three, "greatest(A,B)");
    if (type === "f16") continue;
    add(`div.rn.${type}`, three, "A/B");
    add(`rcp.rn.${type}`, letter.repeat(2), "1/A");
    add(`sqrt.rn.${type}`, letter.repeat(2), "Math.sqrt(A)");
  }
  // Signs are bits, also of NaNs.
  add("neg.f16", "ww", "A^32768");
  add("abs.f16", "ww", "A&32767");
  add("neg.f32", "ss", "A^-2147483648");
  add("abs.f32", "ss", "A&2147483647");
  add("neg.f64", "ll", "Dl=Al;Dh=Ah^-2147483648");
  add("abs.f64", "ll", "Dl=Al;Dh=Ah&2147483647");
  add("copysign.f32", "sss", "A&-2147483648|B&2147483647");
  add("copysign.f64", "lll", "Dl=Bl;Dh=Ah&-2147483648|Bh&2147483647");
}

function approximations(): void {
  for (const [name, value] of [
    ["rcp", "1/A"],
    ["sqrt", "Math.sqrt(A)"],
    ["rsqrt", "1/Math.sqrt(A)"],
    ["sin", "Math.sin(A)"],
    ["cos", "Math.cos(A)"],
    ["ex2", "2**A"],
    ["lg2", "Math.log2(A)"],
    ["tanh", "Math.tanh(A)"],
  ] as const)
    add(`${name}.approx.f32`, "ff", value);
  // Beyond 2^126 the quotient by the approximate instruction is 0.
  add("div.approx.f32", "fff", "Math.abs(B)>2**126&&Math.abs(B)<Infinity&&Math.abs(A)<Infinity?A/B*0:A/B");
  add("div.full.f32", "fff", "A/B");
}

const INTEGERS: readonly (readonly [type: string, letter: Letter])[] = [
  ["s8", "x"],
  ["u8", "y"],
  ...NARROW,
  ["s64", "l"],
  ["u64", "l"],
];

const ROUNDINGS: Readonly<Record<string, string>> = {
  rni: "roundedEven",
  rzi: "Math.trunc",
  rmi: "Math.floor",
  rpi: "Math.ceil",
};

function integerConversions(): void {
  for (const [from, source] of INTEGERS)
    for (const [to, target] of INTEGERS) {
      const isSigned = from.startsWith("s");
      if (target !== "l") add(`cvt.${to}.${from}`, `${target}${source}`, source === "l" ? "Al" : "A");
      else if (source === "l") add(`cvt.${to}.${from}`, "ll", "Dl=Al;Dh=Ah");
      else add(`cvt.${to}.${from}`, `l${source}`, isSigned ? "const x=A;Dl=x;Dh=x>>31" : "Dl=A;Dh=0");
    }
  for (const [from, source] of INTEGERS)
    for (const [to, target] of FLOATS) {
      const read = source === "l" ? `${to === "f32" ? "single64" : "number64"}(Al,Ah,${from.startsWith("s")})` : "A";
      add(`cvt.rn.${to}.${from}`, `${target}${source}`, read);
    }
}

function floatConversions(): void {
  for (const [from, source] of FLOATS) {
    for (const [to, target] of FLOATS) {
      const isWider = Number(to.slice(1)) > Number(from.slice(1));
      if (from === to) {
        for (const [name, round] of Object.entries(ROUNDINGS))
          add(`cvt.${name}.${to}.${from}`, `${target}${source}`, `${round}(A)`);
      } else add(`cvt.${isWider ? "" : "rn."}${to}.${from}`, `${target}${source}`, "A");
    }
    for (const [to, target] of INTEGERS)
      for (const [name, round] of Object.entries(ROUNDINGS)) {
        const isSigned = to.startsWith("s");
        const width = Number(to.slice(1));
        const nan = width === 32 && from === "f64" ? (isSigned ? -(2 ** 31) : 2 ** 31) : 0;
        const least = isSigned ? -(2 ** (width - 1)) : 0;
        const most = 2 ** (isSigned ? width - 1 : width) - 1;
        add(
          `cvt.${name}.${to}.${from}`,
          `${target}${source}`,
          width === 64 ? `putSaturated(r,D,${round}(A),${isSigned})` : `clamped(${round}(A),${least},${most},${nan})`,
        );
      }
  }
}

for (const fill of [
  sums,
  wideSums,
  logic,
  shifts,
  bits,
  moves,
  integerComparisons,
  floats,
  approximations,
  integerConversions,
  floatConversions,
])
  fill();

/** Rows by opcode, without the modifiers `.ftz` and `.sat`. */
export const ARITHMETIC: ReadonlyMap<string, Row> = table;

const FLUSHED: RegExp = /\.ftz/u;
const SATURATED: RegExp = /\.sat/u;

/** The row of an opcode; null: there is none. */
export function rowOf(opcode: string): Row | null {
  const known = table.get(opcode);
  if (known !== undefined) return known;
  const [isFlushed, isSaturated] = [FLUSHED.test(opcode), SATURATED.test(opcode)];
  const plain = table.get(opcode.replace(FLUSHED, "").replace(SATURATED, ""));
  if (plain === undefined || !plain.letters.includes("f") || (isSaturated && !/^[fgh]/u.test(plain.letters)))
    return null;
  let { value } = plain;
  if (isFlushed) {
    const names = "DABCE";
    value = value.replaceAll(/\b[ABCE]\b/gu, (name) =>
      plain.letters[names.indexOf(name)] === "f" ? `flushed(${name})` : name,
    );
    if (plain.letters.startsWith("f")) value = `flushed(Math.fround(${value}))`;
  }
  const row = { letters: plain.letters, value: isSaturated ? `saturated(${value})` : value };
  table.set(opcode, row);
  return row;
}
