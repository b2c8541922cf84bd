// Queries of ballots (cl_khr_subgroup_ballot): bit i of the 128 is that of the work-item with the id i in its
// sub-group.
#define O __attribute__((overloadable))

// Bits below `count`, of at most 128.
static uint4 __muxkit_low_bits(uint count) {
  uint4 left = sub_sat((uint4)(count), (uint4)(0u, 32u, 64u, 96u));
  return select(((uint4)(1u) << left) - 1u, (uint4)(0xffffffffu), left > 31u);
}

static uint __muxkit_count_bits(uint4 value) {
  uint4 counts = popcount(value);
  return counts.x + counts.y + counts.z + counts.w;
}

static uint __muxkit_word(uint4 value, uint index) {
  uint4 wanted = (uint4)(index >> 5);
  uint4 words = select((uint4)(0u), value, wanted == (uint4)(0u, 1u, 2u, 3u));
  return words.x | words.y | words.z | words.w;
}

O uint4 get_sub_group_lt_mask(void) { return __muxkit_low_bits(get_sub_group_local_id()); }
O uint4 get_sub_group_le_mask(void) { return __muxkit_low_bits(get_sub_group_local_id() + 1u); }
O uint4 get_sub_group_eq_mask(void) {
  return __muxkit_low_bits(get_sub_group_local_id() + 1u) & ~__muxkit_low_bits(get_sub_group_local_id());
}
O uint4 get_sub_group_ge_mask(void) {
  return __muxkit_low_bits(get_max_sub_group_size()) & ~__muxkit_low_bits(get_sub_group_local_id());
}
O uint4 get_sub_group_gt_mask(void) {
  return __muxkit_low_bits(get_max_sub_group_size()) & ~__muxkit_low_bits(get_sub_group_local_id() + 1u);
}

O int sub_group_ballot_bit_extract(uint4 value, uint index) {
  return (int)(__muxkit_word(value, index) >> (index & 31u) & 1u);
}
O int sub_group_inverse_ballot(uint4 value) { return sub_group_ballot_bit_extract(value, get_sub_group_local_id()); }
O uint sub_group_ballot_bit_count(uint4 value) {
  return __muxkit_count_bits(value & __muxkit_low_bits(get_max_sub_group_size()));
}
O uint sub_group_ballot_inclusive_scan(uint4 value) {
  return __muxkit_count_bits(value & __muxkit_low_bits(get_sub_group_local_id() + 1u));
}
O uint sub_group_ballot_exclusive_scan(uint4 value) {
  return __muxkit_count_bits(value & __muxkit_low_bits(get_sub_group_local_id()));
}

// Without a bit that is set: 128.
O uint sub_group_ballot_find_lsb(uint4 value) {
  uint4 bits = value & __muxkit_low_bits(get_max_sub_group_size());
  uint4 first = select((uint4)(128u), ctz(bits) + (uint4)(0u, 32u, 64u, 96u), bits != 0u);
  return min(min(first.x, first.y), min(first.z, first.w));
}

O uint sub_group_ballot_find_msb(uint4 value) {
  uint4 bits = value & __muxkit_low_bits(get_max_sub_group_size());
  uint4 last = select((uint4)(0u), (uint4)(32u, 64u, 96u, 128u) - clz(bits), bits != 0u);
  uint most = max(max(last.x, last.y), max(last.z, last.w));
  return most == 0u ? 128u : most - 1u;
}
