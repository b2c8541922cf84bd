// SPDX-License-Identifier: Apache-2.0
// Atomic functions: each function with each type, order, scope and address space, and the functions of OpenCL C 1.x.
//
// A kernel has a counter for each pair of order and scope. Four work-groups of 32 change it at once; with the scope of
// a work-group, and in local memory, each group has a counter of its own. What is left in the counters, and the sum of
// the values that the functions returned, decide.
#include "harness.h"

enum { GROUPS = 4, ITEMS = 32, ALL = GROUPS * ITEMS };

static const struct type {
  const char *name;
  size_t bytes;
  bool is_signed, is_float;
} types[] = {{"int", 4, true, false}, {"uint", 4, false, false}, {"long", 8, true, false}, {"ulong", 8, false, false},
    {"float", 4, true, true}, {"double", 8, true, true}};

// What a function does: `value` is what work-item i passes, `first` what the counter begins with.
enum effect { ADD, SUB, OR, XOR, AND, MIN, MAX, EXCHANGE, STORE, LOAD, COUNT, COUNT_DOWN, SET_FLAG };
static const struct op {
  const char *name;
  enum effect effect;
  const char *call; // of a statement: $P the counter, $V the value, $O order and scope
  bool takes_floats;
} ops[] = {{"fetch_add", ADD, "old = atomic_fetch_add_explicit($P, $V, $O);", false},
    {"fetch_sub", SUB, "old = atomic_fetch_sub_explicit($P, $V, $O);", false},
    {"fetch_or", OR, "old = atomic_fetch_or_explicit($P, $V, $O);", false},
    {"fetch_xor", XOR, "old = atomic_fetch_xor_explicit($P, $V, $O);", false},
    {"fetch_and", AND, "old = atomic_fetch_and_explicit($P, $V, $O);", false},
    {"fetch_min", MIN, "old = atomic_fetch_min_explicit($P, $V, $O);", false},
    {"fetch_max", MAX, "old = atomic_fetch_max_explicit($P, $V, $O);", false},
    {"exchange", EXCHANGE, "old = atomic_exchange_explicit($P, $V, $O);", true},
    {"store", STORE, "atomic_store_explicit($P, $V, $O);", true},
    {"load", LOAD, "old = atomic_load_explicit($P, $O);", true},
    {"compare_exchange_strong", COUNT,
        "{ T e = 1; while (!atomic_compare_exchange_strong_explicit($P, &e, e + 1, $O)); old = e; }", true},
    {"compare_exchange_weak", COUNT,
        "{ T e = 1; while (!atomic_compare_exchange_weak_explicit($P, &e, e + 1, $O)); old = e; }", true}};

static const struct op old_ops[] = {{"add", ADD, "old = $A_add($P, $V);", false},
    {"sub", SUB, "old = $A_sub($P, $V);", false}, {"xchg", EXCHANGE, "old = $A_xchg($P, $V);", true},
    {"inc", COUNT, "old = $A_inc($P);", false}, {"dec", COUNT_DOWN, "old = $A_dec($P);", false},
    {"cmpxchg", COUNT, "{ T e = 1, s; while ((s = $A_cmpxchg($P, e, e + 1)) != e) e = s; old = e; }", false},
    {"min", MIN, "old = $A_min($P, $V);", false}, {"max", MAX, "old = $A_max($P, $V);", false},
    {"and", AND, "old = $A_and($P, $V);", false}, {"or", OR, "old = $A_or($P, $V);", false},
    {"xor", XOR, "old = $A_xor($P, $V);", false}};

static const struct order {
  const char *name;
  const char *feature;
  bool loads, stores;
} orders[] = {{"relaxed", NULL, true, true}, {"acquire", "atomic_order_acq_rel", true, false},
    {"release", "atomic_order_acq_rel", false, true}, {"acq_rel", "atomic_order_acq_rel", false, false},
    {"seq_cst", "atomic_order_seq_cst", true, true}};
static const struct scope {
  const char *name;
  const char *feature;
} scopes[] = {{"work_group", NULL}, {"device", "atomic_scope_device"}, {"all_devices", "atomic_scope_all_devices"}};
static const char *const spaces[] = {"global", "local", "generic"};

// A counter of a kernel.
struct place {
  const struct order *order;
  const struct scope *scope;
};

static bool is_there(const char *feature) { return feature == NULL || device_has_feature(feature); }

static size_t places_of(const struct op *op, struct place *places) {
  size_t count = 0;
  for (size_t o = 0; o < LENGTH(orders); o++)
    for (size_t s = 0; s < LENGTH(scopes); s++) {
      bool fits = op->effect == LOAD ? orders[o].loads : op->effect == STORE ? orders[o].stores : true;
      if (fits && is_there(orders[o].feature) && is_there(scopes[s].feature))
        places[count++] = (struct place){&orders[o], &scopes[s]};
    }
  return count;
}

// What work-item i passes, and what a counter begins with: numbers that floats hold.
static const char *value_of(enum effect effect) {
  switch (effect) {
  case ADD: case SUB: return "(T)1";
  case AND: return "(T)~((T)1 << i % 32)";
  case OR: return "((T)1 << i % 32)";
  case MIN: case MAX: return "(T)(i - 50)";
  default: return "(T)(i + 2)";
  }
}
static int64_t number(enum effect effect, int64_t i) {
  switch (effect) {
  case ADD: case SUB: return 1;
  case AND: return ~((int64_t)1 << i % 32);
  case OR: return (int64_t)1 << i % 32;
  case MIN: case MAX: return i - 50;
  default: return i + 2;
  }
}
static int64_t first_of(enum effect effect) { return effect == AND ? -1 : effect == OR || effect == XOR ? 0 : 1; }

static void substitute(struct text *text, const char *form, const char *pointer, const char *value, const char *order,
    const char *prefix) {
  for (; *form != 0; form++) {
    if (*form != '$') text_add(text, "%c", *form);
    else
      switch (*++form) {
      case 'P': text_add(text, "%s", pointer); break;
      case 'V': text_add(text, "%s", value); break;
      case 'O': text_add(text, "%s", order); break;
      default: text_add(text, "%s", prefix);
      }
  }
}

// A kernel of a function in an address space; `type` is that of the counters.
static void write_kernel(struct text *text, const struct op *op, const char *counter, const char *space,
    const struct place *places, size_t count, const char *prefix) {
  bool is_local = strcmp(space, "local") == 0, is_generic = strcmp(space, "generic") == 0;
  text_add(text, "kernel void k_%s(volatile global %s *all, global T *olds) {\n", op->name, counter);
  text_add(text, "  int i = get_global_id(0), group = get_group_id(0), l = get_local_id(0); T old = 0;\n");
  if (is_local)
    text_add(text,
        "  local %s mine[%zu];\n  if (l == 0) for (int p = 0; p < %zu; p++) *(local T *)&mine[p] = "
        "*(global T *)&all[p * %d + group];\n  barrier(CLK_LOCAL_MEM_FENCE);\n",
        counter, count, count, GROUPS);
  for (size_t p = 0; p < count; p++) {
    bool is_own = strcmp(places[p].scope->name, "work_group") == 0;
    char pointer[64], order[128];
    if (is_local) snprintf(pointer, sizeof pointer, "&mine[%zu]", p);
    else snprintf(pointer, sizeof pointer, is_generic ? "q" : "&all[%zu%s]", p * GROUPS, is_own ? " + group" : "");
    bool compares = op->effect == COUNT && prefix == NULL;
    snprintf(order, sizeof order, "memory_order_%s, %smemory_scope_%s", places[p].order->name,
        compares ? "memory_order_relaxed, " : "", places[p].scope->name);
    text_add(text, "  { ");
    if (is_generic) text_add(text, "volatile %s *q = &all[%zu%s]; ", counter, p * GROUPS, is_own ? " + group" : "");
    substitute(text, op->call, pointer, value_of(op->effect), order, prefix);
    text_add(text, " olds[%zu + i] = old; }\n", p * ALL);
  }
  if (is_local)
    text_add(text,
        "  barrier(CLK_LOCAL_MEM_FENCE);\n  if (l == 0) for (int p = 0; p < %zu; p++) *(global T *)&all[p * %d + "
        "group] = *(local T *)&mine[p];\n",
        count, GROUPS);
  text_add(text, "}\n");
}

static int64_t read_number(const struct type *type, const uint8_t *bytes) {
  if (type->is_float) {
    float single;
    double both;
    if (type->bytes == 4) return memcpy(&single, bytes, sizeof single), (int64_t)single;
    return memcpy(&both, bytes, sizeof both), (int64_t)both;
  }
  uint64_t bits = 0;
  memcpy(&bits, bytes, type->bytes);
  return type->bytes == 8 ? (int64_t)bits : type->is_signed ? (int64_t)(int32_t)bits : (int64_t)bits;
}

static void write_number(const struct type *type, int64_t value, uint8_t *bytes) {
  float single = (float)value;
  double both = (double)value;
  const void *from = !type->is_float ? (const void *)&value : type->bytes == 4 ? (const void *)&single : &both;
  memcpy(bytes, from, type->bytes);
}

// A number as the type holds it.
static int64_t wrapped(const struct type *type, int64_t value) {
  uint8_t bytes[8];
  write_number(type, value, bytes);
  return read_number(type, bytes);
}
static bool is_less(const struct type *type, int64_t a, int64_t b) {
  return type->is_signed ? a < b : (uint64_t)a < (uint64_t)b;
}

// Whether a counter holds what the work-items `from` to `to` leave, and they were returned what they may be.
static bool is_right(const struct type *type, enum effect effect, int64_t left, const uint8_t *olds, int from, int to) {
  int64_t first = wrapped(type, first_of(effect)), expected = first, passed = 0, returned = 0;
  bool is_passed = false, is_first = true, meets_first = false;
  for (int i = from; i < to; i++) {
    int64_t value = wrapped(type, number(effect, i)), old = read_number(type, olds + (size_t)i * type->bytes);
    passed += value;
    returned += old;
    is_passed = is_passed || value == left;
    is_first = is_first && old == first;
    meets_first = meets_first || old == first;
    switch (effect) {
    case ADD: case COUNT: expected = wrapped(type, expected + 1); break;
    case SUB: case COUNT_DOWN: expected = wrapped(type, expected - 1); break;
    case OR: expected |= value; break;
    case XOR: expected ^= value; break;
    case AND: expected &= value; break;
    case MIN: expected = is_less(type, value, expected) ? value : expected; break;
    case MAX: expected = is_less(type, expected, value) ? value : expected; break;
    default: break;
    }
  }
  int64_t n = to - from;
  switch (effect) {
  case EXCHANGE: return returned + left == first + passed && meets_first;
  case STORE: return is_passed;
  case LOAD: return left == first && is_first;
  case ADD: case COUNT: return left == expected && returned == n * first + n * (n - 1) / 2;
  case SUB: case COUNT_DOWN:
    return left == expected && meets_first &&
           (!type->is_signed || returned == n * first - n * (n - 1) / 2);
  default: return left == wrapped(type, expected) && meets_first;
  }
}

// Runs a kernel of a program and checks each of its counters.
static void run(cl_program program, const struct type *type, const struct op *op, const char *space,
    const struct place *places, size_t count, const char *prefix) {
  char name[64];
  snprintf(name, sizeof name, "k_%s", op->name);
  cl_int code = CL_BUILD_PROGRAM_FAILURE;
  cl_kernel kernel = program == NULL ? NULL : clCreateKernel(program, name, &code);
  size_t counter_bytes = count * GROUPS * type->bytes, old_bytes = count * ALL * type->bytes;
  uint8_t *counters = malloc(counter_bytes), *olds = calloc(1, old_bytes);
  for (size_t i = 0; i < count * GROUPS; i++)
    write_number(type, first_of(op->effect), counters + i * type->bytes);
  if (kernel != NULL) {
    cl_mem list[] = {buffer_of(counter_bytes, counters), buffer_of(old_bytes, olds)};
    code = launch(kernel, 2, list, ALL, ITEMS);
    read_back(list[0], counter_bytes, counters);
    read_back(list[1], old_bytes, olds);
    for (int i = 0; i < 2; i++) clReleaseMemObject(list[i]);
    clReleaseKernel(kernel);
  }
  for (size_t p = 0; p < count; p++) {
    bool is_own = strcmp(space, "local") == 0 || strcmp(places[p].scope->name, "work_group") == 0;
    bool holds = code == CL_SUCCESS;
    for (int group = 0; holds && group < (is_own ? GROUPS : 1); group++)
      holds = is_right(type, op->effect, read_number(type, counters + (p * GROUPS + (size_t)group) * type->bytes),
          olds + p * ALL * type->bytes, is_own ? group * ITEMS : 0, is_own ? (group + 1) * ITEMS : ALL);
    char why[32];
    snprintf(why, sizeof why, "code %d", code);
    if (prefix == NULL)
      check(holds, why, "atomic_%s on %s %s, %s, %s", op->name, space, type->name, places[p].order->name,
          places[p].scope->name);
    else check(holds, why, "%s_%s on %s %s", prefix, op->name, space, type->name);
  }
  free(counters);
  free(olds);
}

static void explicit_functions(const struct type *type, const char *space) {
  struct text text = {0};
  struct place places[LENGTH(orders) * LENGTH(scopes)];
  text_add(&text, "typedef %s T;\n", type->name);
  char counter[32];
  snprintf(counter, sizeof counter, "atomic_%s", type->name);
  for (size_t i = 0; i < LENGTH(ops); i++)
    if (!type->is_float || ops[i].takes_floats)
      write_kernel(&text, &ops[i], counter, space, places, places_of(&ops[i], places), NULL);
  cl_program program = build(text.bytes, "-cl-std=CL3.0");
  for (size_t i = 0; i < LENGTH(ops); i++)
    if (!type->is_float || ops[i].takes_floats)
      run(program, type, &ops[i], space, places, places_of(&ops[i], places), NULL);
  if (program != NULL) clReleaseProgram(program);
  text_free(&text);
}

// Functions of OpenCL C 1.x: relaxed, for all work-items that share the memory.
static void old_functions(const struct type *type, const char *space, const char *prefix) {
  struct text text = {0};
  const struct place place = {&orders[0], &scopes[1]};
  text_add(&text, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n");
  text_add(&text, "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\ntypedef %s T;\n", type->name);
  for (size_t i = 0; i < LENGTH(old_ops); i++)
    if (!type->is_float || old_ops[i].takes_floats)
      write_kernel(&text, &old_ops[i], type->name, space, &place, 1, prefix);
  cl_program program = build(text.bytes, "");
  for (size_t i = 0; i < LENGTH(old_ops); i++)
    if (!type->is_float || old_ops[i].takes_floats) run(program, type, &old_ops[i], space, &place, 1, prefix);
  if (program != NULL) clReleaseProgram(program);
  text_free(&text);
}

static void flags(void) {
  static const char *const source =
      "kernel void k(volatile global atomic_flag *flags, global int *olds, int again) {\n"
      "  int i = get_global_id(0);\n"
      "  olds[i] = atomic_flag_test_and_set_explicit(&flags[0], memory_order_relaxed, memory_scope_device);\n"
      "  if (again && i == 0) atomic_flag_clear_explicit(&flags[0], memory_order_relaxed, memory_scope_device);\n}\n";
  if (!device_has_feature("atomic_scope_device")) return;
  cl_program program = build(source, "-cl-std=CL3.0");
  cl_kernel kernel = program == NULL ? NULL : clCreateKernel(program, "k", NULL);
  cl_int flag = 0, olds[ALL], again = 0, zeros = 0;
  cl_mem list[] = {buffer_of(sizeof flag, &flag), buffer_of(sizeof olds, NULL)};
  if (kernel != NULL) {
    clSetKernelArg(kernel, 2, sizeof again, &again);
    launch(kernel, 2, list, ALL, ITEMS);
    read_back(list[1], sizeof olds, olds);
    for (int i = 0; i < ALL; i++) zeros += olds[i] == 0;
  }
  check(zeros == 1, NULL, "atomic_flag_test_and_set: one work-item of all finds it clear");
  if (kernel != NULL) clReleaseKernel(kernel);
  if (program != NULL) clReleaseProgram(program);
  for (int i = 0; i < 2; i++) clReleaseMemObject(list[i]);
}

void atomics(void) {
  bool has_long = device_has("cl_khr_int64_base_atomics") && device_has("cl_khr_int64_extended_atomics");
  for (size_t t = 0; t < LENGTH(types); t++) {
    const struct type *type = &types[t];
    if (type->bytes == 8 && (!has_long || (type->is_float && !device_has("cl_khr_fp64")))) continue;
    // A slice has a signed type, a wide one and a floating-point one.
    if (!is_whole && strcmp(type->name, "int") != 0 && strcmp(type->name, "ulong") != 0 &&
        strcmp(type->name, "float") != 0)
      continue;
    for (size_t s = 0; s < LENGTH(spaces); s++) {
      if (strcmp(spaces[s], "generic") == 0 && !device_has_feature("generic_address_space")) continue;
      if (!is_whole && s != t % 2) continue;
      explicit_functions(type, spaces[s]);
    }
    for (size_t s = 0; s < 2; s++)
      if (!(type->is_float && type->bytes == 8))
        old_functions(type, spaces[s], type->bytes == 8 ? "atom" : "atomic");
  }
  flags();
}
