// SPDX-License-Identifier: Apache-2.0
// construct: records that are declared before they are defined, in constant memory and through pointers

struct table;
struct node;

int first_of(constant struct table *t);

struct node {
  int value;
  global struct node *next;
};

struct table {
  int count;
  struct entry {
    int key, value;
  } entries[8];
};

extern constant struct table lookup;

int first_of(constant struct table *t) { return t->entries[0].key; }

constant struct table lookup = {3, {{1, 10}, {2, 20}, {5, 50}}};

kernel void look_up(global const int *keys, global int *values) {
  size_t i = get_global_id(0);
  int found = -first_of(&lookup);
  for (int e = 0; e < lookup.count; e++)
    if (lookup.entries[e].key == keys[i])
      found = lookup.entries[e].value;
  values[i] = found;
}

kernel void walk(global struct node *nodes, global int *sums) {
  int sum = 0;
  for (global struct node *n = nodes + get_global_id(0); n; n = n->next)
    sum += n->value;
  sums[get_global_id(0)] = sum;
}
