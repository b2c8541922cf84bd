// SPDX-License-Identifier: Apache-2.0
// construct: initialisers with designators, of nested records and arrays, and without all their values

typedef struct {
  int kind;
  union {
    int i;
    float f;
    uchar bytes[4];
  } value;
  float3 place[2];
} item;

constant item items[] = {
    {.kind = 1, .value.f = 2.5f, .place = {[1] = (float3)(1, 2, 3)}},
    {2, {7}, {{1, 2, 3}, 4}},
    [3] = {.kind = 4},
};
constant float matrix[][3] = {{1}, {2, 3}, {4, 5, 6}};
constant uchar letters[8] = {'a', 'b', '\n', '\\', '\x41', '\101', 0};
constant int powers[] = {1, 1 << 4, 1 << 8, (1 << 12) | 3, ~0, -(-5), sizeof(item), 3 > 2 ? 10 : 20};

kernel void initialised(global float *out) {
  item own = {.value.bytes = {1, 2, 3, 4}, .kind = 9};
  item other = own;
  other.place[0] = items[1].place[0] + own.place[1];
  float rows[2][2] = {{1, 2}, {3}}, *flat = &rows[0][0];
  int4 v[2] = {{1, 2, 3, 4}, 5};
  size_t i = get_global_id(0);
  out[i] = other.place[0].y + flat[i & 3] + v[1].x + v[i & 1].w + items[i & 3].value.f + matrix[i & 1][2];
  out[i] += letters[i & 7] + powers[i & 7] + (float)other.value.i + sizeof(items) / sizeof(items[0]);
}

kernel void compound_literals(global float4 *out, float f) {
  out[get_global_id(0)] = ((float4[]){(float4)(f), {1, 2, 3, 4}})[get_global_id(0) & 1];
  out[0] += (item){.kind = 3}.kind;
}
