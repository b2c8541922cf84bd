// Small functions, one idea each, with what they give: every pass must leave that as it is.

const HEAD = 'module "m" pointers 4 4 4 4 4 size_t 32\n';

/** A pass and what it is shown on. */
export interface Program {
  readonly pass: string;
  readonly idea: string;
  readonly text: string;
}

/** Programs by pass and idea. */
export const PROGRAMS: readonly Program[] = [
  {
    pass: "mem2reg", idea: "a variable of two branches becomes a block parameter",
    text: `${HEAD}; run: %f(1) == 10
; run: %f(0) == 20
func @f(%c: i1) -> i32 {
^entry:
  %v = alloca {i32, align 4}: ptr<private>
  cond_br %c, ^yes, ^no
^yes:
  store 10: i32, %v {align 4}
  br ^end
^no:
  store 20: i32, %v {align 4}
  br ^end
^end:
  %r = load %v {align 4}: i32
  ret %r
}
`,
  },
  {
    pass: "mem2reg", idea: "a counter of a loop",
    text: `${HEAD}; run: %sum(0) == 0
; run: %sum(5) == 10
func @sum(%n: i32) -> i32 {
^entry:
  %i = alloca {i32, align 4}: ptr<private>
  %s = alloca {i32, align 4}: ptr<private>
  br ^head
^head:
  %a = load %i {align 4}: i32
  %go = ult %a, %n: i1
  cond_br %go, ^body, ^end
^body:
  %b = load %s {align 4}: i32
  %c = add %b, %a: i32
  store %c, %s {align 4}
  %d = add %a, 1: i32
  store %d, %i {align 4}
  br ^head
^end:
  %r = load %s {align 4}: i32
  ret %r
}
`,
  },
  {
    pass: "mem2reg", idea: "a variable whose address is passed on stays",
    text: `${HEAD}; run: %f(4) == 9
func @set(%p: ptr<private>) {
^entry:
  store 9: i32, %p {align 4}
  ret
}
func @f(%x: i32) -> i32 {
^entry:
  %v = alloca {i32, align 4}: ptr<private>
  store %x, %v {align 4}
  call @set %v
  %r = load %v {align 4}: i32
  ret %r
}
`,
  },
  {
    pass: "simplify", idea: "constants fold, neutral elements go",
    text: `${HEAD}; run: %f(7) == 49
func @f(%x: i32) -> i32 {
^entry:
  %a = add 3, 4: i32
  %b = mul %x, 1: i32
  %c = add %b, 0: i32
  %d = mul %c, %a: i32
  %e = xor %d, 0: i32
  ret %e
}
`,
  },
  {
    pass: "simplify", idea: "float sums with zero stay: -0 + 0 is 0",
    text: `${HEAD}; run: %f(-0.0) == 0.0
; run: %f(1.5) == 1.5
func @f(%x: f32) -> f32 {
^entry:
  %a = fadd %x, 0.0: f32
  ret %a
}
`,
  },
  {
    pass: "gvn", idea: "equal computations become one, also in a block below",
    text: `${HEAD}; run: %f(3, 4) == 24
func @f(%x: i32, %y: i32) -> i32 {
^entry:
  %a = mul %x, %y: i32
  br ^next
^next:
  %b = mul %x, %y: i32
  %c = add %a, %b: i32
  ret %c
}
`,
  },
  {
    pass: "gvn", idea: "a load behind a store is what was stored",
    text: `${HEAD}; run: %f(3) == 13
func @f(%x: i32) -> i32 {
^entry:
  %v = alloca {[2 x i32], align 4}: ptr<private>
  store %x, %v {align 4}
  %a = load %v {align 4}: i32
  store 10: i32, %v {align 4}
  %b = load %v {align 4}: i32
  %c = add %a, %b: i32
  ret %c
}
`,
  },
  {
    pass: "simplify-cfg", idea: "a branch on a constant, a straight line, an empty block",
    text: `${HEAD}; run: %f(3) == 4
func @f(%x: i32) -> i32 {
^entry:
  cond_br 1: i1, ^yes, ^no
^yes:
  br ^empty
^empty:
  br ^end(%x: i32)
^no:
  br ^end(0: i32)
^end(%a: i32):
  %r = add %a, 1: i32
  ret %r
}
`,
  },
  {
    pass: "simplify-cfg", idea: "the empty arms of a diamond go",
    text: `${HEAD}; run: %f(5, 9) == 5
; run: %f(9, 5) == 5
func @f(%x: i32, %y: i32) -> i32 {
^entry:
  %c = ult %x, %y: i1
  cond_br %c, ^left, ^right
^left:
  br ^end(%x: i32)
^right:
  br ^end(%y: i32)
^end(%r: i32):
  ret %r
}
`,
  },
  {
    pass: "dce", idea: "what nobody uses goes, what writes stays",
    text: `${HEAD}; run: %f(3) == 3
func @f(%x: i32) -> i32 {
^entry:
  %v = alloca {i32, align 4}: ptr<private>
  %dead = mul %x, %x: i32
  %deader = add %dead, 1: i32
  store %x, %v {align 4}
  %r = load %v {align 4}: i32
  ret %r
}
`,
  },
  {
    pass: "inline", idea: "a call becomes the body, a return a branch",
    text: `${HEAD}; run: %f(-5) == 6
; run: %f(5) == 6
func @absolute(%x: i32) -> i32 {
^entry:
  %negative = slt %x, 0: i32: i1
  cond_br %negative, ^flip, ^keep
^flip:
  %flipped = sub 0, %x: i32
  ret %flipped
^keep:
  ret %x
}
func @f(%x: i32) -> i32 {
^entry:
  %a = call @absolute %x: i32
  %r = add %a, 1: i32
  ret %r
}
`,
  },
];
