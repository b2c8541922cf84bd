// SPDX-License-Identifier: Apache-2.0
// construct: an interpreter of bytecode: a switch of 64 cases in a loop, a stack in private memory

#define FOUR(n, a, b, c, d) case n: a; break; case n + 1: b; break; case n + 2: c; break; case n + 3: d; break;
#define TOP stack[(top - 1) & 31]
#define NEXT stack[(top - 2) & 31]
#define POP (top = (top - 1) & 31, stack[top])
#define BINARY(op) { int y = POP; TOP = TOP op y; }
#define UNARY(op) { TOP = op(TOP); }

kernel void interpret(global const uchar *programs, global int *results, int length, int limit) {
  global const uchar *code = programs + get_global_id(0) * length;
  int stack[32] = {0}, top = 0, pc = 0, registers[8] = {0};
  for (int step = 0; step < limit && pc < length; step++) {
    uchar word = code[pc++];
    switch (word & 63) {
      FOUR(0, BINARY(+), BINARY(-), BINARY(*), BINARY(&))
      FOUR(4, BINARY(|), BINARY(^), BINARY(<), BINARY(>))
      FOUR(8, BINARY(==), BINARY(!=), BINARY(<=), BINARY(>=))
      FOUR(12, UNARY(-), UNARY(~), UNARY(!), UNARY(clz))
      FOUR(16, UNARY(popcount), UNARY(abs), { TOP = rotate(TOP, 1); }, { TOP = TOP << 1; })
      FOUR(20, { TOP = TOP >> 1; }, { TOP = (uint)TOP >> 1; }, { TOP = (char)TOP; }, { TOP = (short)TOP; })
      FOUR(24, { top = (top + 1) & 31; TOP = word >> 6; }, { int t = TOP; top = (top + 1) & 31; TOP = t; },
           { int t = TOP; TOP = NEXT; NEXT = t; }, { top = (top + 31) & 31; })
      FOUR(28, registers[0] = POP, registers[1] = POP, registers[2] = POP, registers[3] = POP)
      FOUR(32, registers[4] = POP, registers[5] = POP, registers[6] = POP, registers[7] = POP)
      FOUR(36, TOP += registers[0], TOP += registers[1], TOP += registers[2], TOP += registers[3])
      FOUR(40, TOP -= registers[4], TOP -= registers[5], TOP *= registers[6], TOP ^= registers[7])
      FOUR(44, if (TOP) pc += word >> 6, if (!TOP) pc += word >> 6, pc = 0, return)
      FOUR(48, TOP = max(TOP, NEXT), TOP = min(TOP, NEXT), TOP = mad24(TOP, NEXT, 1), TOP = mul_hi(TOP, NEXT))
      FOUR(52, TOP = hadd(TOP, NEXT), TOP = add_sat(TOP, NEXT), TOP = sub_sat(TOP, NEXT),
           TOP = bitselect(TOP, NEXT, 255))
      FOUR(56, TOP = upsample((short)TOP, (ushort)NEXT), TOP = select(TOP, NEXT, step), TOP = as_int((float)TOP),
           TOP = convert_int_sat(as_float(TOP)))
      FOUR(60, TOP = step, TOP = pc, TOP = get_global_id(0), TOP = limit)
    }
  }
  results[get_global_id(0)] = TOP;
}
