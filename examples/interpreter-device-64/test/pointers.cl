// What only 64-bit pointers and a 64-bit size_t show.

global int* global last;
constant int table[4] = {10, 20, 30, 40};

// Sizes, and addresses as integers: upper words of global, constant, local and private addresses.
kernel void widths(global uint* out, local int* scratch) {
  int own = 0;
  out[0] = sizeof(size_t);
  out[1] = sizeof(ptrdiff_t);
  out[2] = sizeof(intptr_t);
  out[3] = sizeof(global int*);
  out[4] = (uint)((ulong)(uintptr_t)out >> 32);
  out[5] = (uint)((ulong)(uintptr_t)table >> 32);
  out[6] = (uint)((ulong)(uintptr_t)scratch >> 32);
  out[7] = (uint)((ulong)(uintptr_t)&own >> 32);
}

struct node {
  global struct node* next;
  int value;
};

// Pointers in structs in memory, written by one kernel and followed by the next.
kernel void link(global struct node* nodes) {
  size_t i = get_global_id(0);
  nodes[i].next = i + 1 < get_global_size(0) ? nodes + i + 1 : (global struct node*)0;
  nodes[i].value = (int)i + 1;
  if (i == 0) last = &nodes[get_global_size(0) - 1].value;
}

kernel void follow(global const struct node* nodes, global int* out) {
  int sum = 0;
  for (global const struct node* at = nodes; at != 0; at = at->next) sum += at->value;
  out[0] = sum;
  out[1] = *last;
}

// Arithmetic of size_t and ptrdiff_t that does not fit in 32 bits, and indices of every sign and width.
kernel void arithmetic(global int* data, global ulong* out) {
  size_t large = (size_t)1 << 40;
  ptrdiff_t distance = &data[3] - &data[7];
  out[0] = large + get_global_id(0);
  out[1] = (ulong)(long)distance;
  int back = -2;
  uint forth = 2u;
  out[2] = (ulong)data[4 + back];
  out[3] = (ulong)(data + 4)[back];
  out[4] = (ulong)(data + 2)[forth];
  out[5] = (ulong)(data + 0x100000000L)[-0xfffffffeL];
  out[6] = get_global_offset(0);
}

// Atomics on integers as wide as pointers.
kernel void counters(global atomic_size_t* counter, global atomic_intptr_t* least) {
  atomic_fetch_add(counter, (size_t)1 << 32);
  atomic_fetch_min(least, -((intptr_t)get_global_id(0) << 33));
}

// Pointers by the generic address space, and in private arrays.
int sum_of(int* a, int* b) { return *a + *b; }
kernel void pass_generic(global int* data, local int* scratch) {
  int own[2] = {1, 2};
  int* both[2] = {own, scratch};
  scratch[0] = 100;
  data[0] = sum_of(both[0], both[1]) + sum_of(data + 1, own + 1);
}
