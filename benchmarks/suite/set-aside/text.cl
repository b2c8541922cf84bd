// Where a pattern begins in a text, letter by letter until one differs. Letters are the low two bits.
kernel void string_search(uint length, uint size, global const uchar *text, constant uchar *pattern,
                          global uchar *found, global uint *count) {
  uint i = get_global_id(0);
  if (i + size > length) return;
  uint k = 0;
  while (k < size && ((text[i + k] ^ pattern[k]) & 3) == 0) k++;
  found[i] = (uchar)k;
  if (k == size) atomic_inc(count);
}
