// SPDX-License-Identifier: Apache-2.0
// What is rewritten in LLVM's text before its translator gets it: each step by a function that needs it.
import { isMiscompiled, prepareForTranslator } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

interface Row {
  readonly step: string;
  /** The function's instructions and labels. */
  readonly before: string;
  readonly after: string;
}

const ROWS: readonly Row[] = [
  {
    step: "numbers become names",
    before: "entry:\n  %0 = add i32 %x, 1\n  br label %3\n\n3:                         ; preds = %entry\n  ret i32 %0",
    after: "entry:\n  %n.0 = add i32 %x, 1\n  br label %n.3\nn.3:\n  ret i32 %n.0",
  },
  {
    step: "freeze is what it is given",
    before: "entry:\n  %f = freeze i32 %v\n  ret void",
    after: "entry:\n  %f = select i1 true, i32 %v, i32 %v\n  ret void",
  },
  {
    step: "a truth value as a float is 0 or -1",
    before: "entry:\n  %a = sitofp i1 %x to float\n  %b = sitofp <2 x i1> %y to <2 x double>\n  ret void",
    after:
      "entry:\n  %a = select i1 %x, float -1.000000e+00, float zeroinitializer\n" +
      "  %b = select <2 x i1> %y, <2 x double> <double -1.000000e+00, double -1.000000e+00>, " +
      "<2 x double> zeroinitializer\n  ret void",
  },
  {
    step: "a choice of vectors by one truth value is one by a vector",
    before: "entry:\n  %a = select i1 %c, <2 x i32> %x, <2 x i32> zeroinitializer\n  ret void",
    after:
      "entry:\n  %made.0 = insertelement <2 x i1> poison, i1 %c, i32 0\n" +
      "  %made.1 = shufflevector <2 x i1> %made.0, <2 x i1> poison, <2 x i32> zeroinitializer\n" +
      "  %a = select <2 x i1> %made.1, <2 x i32> %x, <2 x i32> zeroinitializer\n  ret void",
  },
  {
    step: "a choice of pointers to vectors stays",
    before:
      "entry:\n  %a = select i1 %c, <2 x i32>* %x, <2 x i32>* %y\n" +
      "  %b = select i1 %c, <2 x i32> addrspace(4)* %v, <2 x i32> addrspace(4)* %w\n  ret void",
    after:
      "entry:\n  %a = select i1 %c, <2 x i32>* %x, <2 x i32>* %y\n" +
      "  %b = select i1 %c, <2 x i32> addrspace(4)* %v, <2 x i32> addrspace(4)* %w\n  ret void",
  },
  {
    step: "a lane of a vector that SPIR-V has not is a part of a wide one",
    before: "entry:\n  %s = bitcast <3 x i64> %v to <6 x i32>\n  %a = extractelement <6 x i32> %s, i64 3\n  ret i32 %a",
    after:
      "entry:\n  %made.0 = extractelement <3 x i64> %v, i32 1\n  %made.1 = lshr i64 %made.0, 32\n" +
      "  %a = trunc i64 %made.1 to i32\n  ret i32 %a",
  },
  {
    step: "one value of all lanes is computed lane after lane",
    before:
      "entry:\n  %a = tail call i16 @llvm.vector.reduce.xor.v2i16(<2 x i16> %v)\n" +
      "  %b = call i32 @llvm.vector.reduce.smax.v2i32(<2 x i32> %w)\n" +
      "  %c = call float @llvm.vector.reduce.fmax.v2f32(<2 x float> %f)\n  ret void",
    after:
      "entry:\n  %made.0 = extractelement <2 x i16> %v, i32 0\n  %made.1 = extractelement <2 x i16> %v, i32 1\n" +
      "  %a = xor i16 %made.0, %made.1\n" +
      "  %made.3 = extractelement <2 x i32> %w, i32 0\n  %made.4 = extractelement <2 x i32> %w, i32 1\n" +
      "  %made.5 = icmp sgt i32 %made.3, %made.4\n" +
      "  %b = select i1 %made.5, i32 %made.3, i32 %made.4\n" +
      "  %c = call float @llvm.vector.reduce.fmax.v2f32(<2 x float> %f)\n  ret void",
  },
  {
    step: "a switch over three bits is one over eight",
    before:
      "entry:\n  %t = trunc i16 %x to i3\n  %s = sub nsw i3 2, %t\n  switch i3 %s, label %a [\n    i3 1, label %b\n" +
      "    i3 -4, label %a\n  ]\na:\n  ret void\nb:\n  ret void",
    after:
      "entry:\n  %made.0 = trunc i16 %x to i8\n  %t = and i8 %made.0, 7\n  %made.1 = sub i8 2, %t\n" +
      "  %s = and i8 %made.1, 7\n  switch i8 %s, label %a [\n    i8 1, label %b\n    i8 4, label %a\n    ]\n" +
      "b:\n  ret void\na:\n  ret void",
  },
  {
    step: "ints of few bits are wider ones, also where their sign counts",
    before:
      "entry:\n  %w = zext i32 %x to i33\n  %m = mul nuw i33 %w, -1\n  %h = lshr i33 %m, 1\n" +
      "  %n = trunc i33 %h to i32\n" +
      "  %less = icmp slt i33 %m, -2\n  %s = select i1 %less, i33 %m, i33 5\n  %i26.0 = sext i33 %s to i64\n  ret void",
    after:
      "entry:\n  %w = zext i32 %x to i64\n  %made.0 = mul i64 %w, 8589934591\n  %m = and i64 %made.0, 8589934591\n" +
      "  %made.1 = lshr i64 %m, 1\n  %h = and i64 %made.1, 8589934591\n  %n = trunc i64 %h to i32\n" +
      "  %made.3 = shl i64 %m, 31\n  %made.4 = shl i64 8589934590, 31\n  %less = icmp slt i64 %made.3, %made.4\n" +
      "  %s = select i1 %less, i64 %m, i64 5\n  %made.5 = shl i64 %s, 31\n  %i26.0 = ashr i64 %made.5, 31\n  ret void",
  },
  {
    step: "truth values as an int of few bits are put together",
    before: "entry:\n  %b = bitcast <2 x i1> %v to i2\n  %all = icmp eq i2 %b, -1\n  ret void",
    after:
      "entry:\n  %made.0 = extractelement <2 x i1> %v, i32 0\n  %made.1 = zext i1 %made.0 to i8\n" +
      "  %made.2 = shl i8 %made.1, 0\n  %made.3 = or i8 0, %made.2\n" +
      "  %made.4 = extractelement <2 x i1> %v, i32 1\n  %made.5 = zext i1 %made.4 to i8\n" +
      "  %made.6 = shl i8 %made.5, 1\n  %b = or i8 %made.3, %made.6\n  %all = icmp eq i8 %b, 3\n  ret void",
  },
  {
    step: "a function with ints that cannot be wider stays as it is",
    before: "entry:\n  %t = trunc i16 %x to i3\n  %w = zext i64 %y to i65\n  ret void",
    after: "entry:\n  %t = trunc i16 %x to i3\n  %w = zext i64 %y to i65\n  ret void",
  },
  {
    step: "allocations of a fixed size come first",
    before:
      "entry:\n  %x = add i32 1, 2\n  %a = alloca [4 x i32], align 4\n" +
      "  %b = alloca i32, i32 %x, align 4\n  br label %n\n" +
      "n:\n  %c = alloca i8, align 1\n  ret void",
    after:
      "entry:\n  %a = alloca [4 x i32], align 4\n  %c = alloca i8, align 1\n  %x = add i32 1, 2\n" +
      "  %b = alloca i32, i32 %x, align 4\n  br label %n\nn:\n  ret void",
  },
  {
    step: "the second edge between two blocks gets a block of its own",
    before:
      "entry:\n  switch i32 %x, label %n [\n    i32 1, label %m\n    i32 2, label %n\n    i32 3, label %n\n  ]\n" +
      "m:\n  br label %n\nn:\n  %p = phi i32 [ 5, %entry ], [ 6, %m ], [ 5, %entry ], [ 5, %entry ]\n  ret i32 %p",
    after:
      "entry:\n  switch i32 %x, label %n [\n    i32 1, label %m\n    i32 2, label %made.0\n" +
      "    i32 3, label %made.1\n    ]\nm:\n  br label %n\nmade.0:\n  br label %n\nmade.1:\n  br label %n\n" +
      "n:\n  %p = phi i32 [ 5, %entry ], [ 6, %m ], [ 5, %made.1 ], [ 5, %made.0 ]\n  ret i32 %p",
  },
  {
    step: "blocks come after those that dominate them, and what nothing reaches comes last",
    before:
      "entry:\n  br i1 %c, label %late, label %end\ndead:\n  br label %end\ninner:\n  br label %end\n" +
      "late:\n  br label %inner\nend:\n  ret void",
    after:
      "entry:\n  br i1 %c, label %late, label %end\nlate:\n  br label %inner\ninner:\n  br label %end\n" +
      "end:\n  ret void\n" +
      "dead:\n  br label %end",
  },
];

const around = (body: string): string => `define void @f() #0 {\n${body}\n}\n\ndeclare i32 @g(i32)\n`;

test.each(ROWS)("$step", ({ before, after }) => {
  expect(prepareForTranslator(around(before))).toBe(around(after));
});

test("only truth values as signed numbers are made another instruction of", () => {
  expect(isMiscompiled("  %a = sitofp i1 %x to float")).toBe(true);
  expect(isMiscompiled("  %a = sitofp <4 x i1> %x to <4 x float>")).toBe(true);
  expect(isMiscompiled("  %a = uitofp i1 %x to float\n  %b = sitofp i16 %y to float")).toBe(false);
});

test("a function whose first block has no name, and types without names, stay as they are", () => {
  const text = "define void @f() {\n  ret void\n}\n";
  expect(prepareForTranslator(text)).toBe(text);
  const types = "%0 = type { i32 }\ndefine void @f() {\nentry:\n  %1 = freeze i32 %x\n  ret void\n}\n";
  expect(prepareForTranslator(types)).toBe(types);
});
