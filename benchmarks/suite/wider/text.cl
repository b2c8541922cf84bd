// Letters and words.

// Counts the words of eight letters of an alphabet of four: each work-item rolls over 32 beginnings.
kernel void kmer_count(uint n, global const uchar *bases, global uint *counts) {
  uint first = get_global_id(0) * 32u;
  if (first >= n) return;
  uint word = 0;
  for (uint k = 0; k < 7u; k++) word = word << 2 | (bases[first + k] & 3u);
  for (uint k = 7; k < 39u; k++) {
    word = (word << 2 | (bases[first + k] & 3u)) & 0xffffu;
    atomic_inc(&counts[word]);
  }
}

// Matches of a pattern of 16 letters in a text, a pattern and a text for a work-item: the prefix function in local
// memory, then the search. Letters are bits, so that prefixes are long.
kernel void prefix_function(uint length, global const uchar *patterns, global const uchar *texts, local uchar *fail,
                            global uint *matches) {
  uint lid = get_local_id(0), size = get_local_size(0), id = get_global_id(0), total = get_global_size(0);
  uchar letter[16];
  for (uint k = 0; k < 16u; k++) letter[k] = patterns[k * total + id] & 1;
  fail[lid] = 0;
  uint at = 0;
  for (uint k = 1; k < 16u; k++) {
    while (at > 0u && letter[at] != letter[k]) at = fail[(at - 1u) * size + lid];
    if (letter[at] == letter[k]) at++;
    fail[k * size + lid] = at;
  }
  uint count = 0, steps = 0;
  at = 0;
  for (uint k = 0; k < length; k++) {
    uchar c = texts[k * total + id] & 1;
    while (at > 0u && (at == 16u || letter[at] != c)) {
      at = fail[(at - 1u) * size + lid];
      steps++;
    }
    if (letter[at] == c) at++;
    if (at == 16u) count++;
  }
  matches[id] = count << 16 | steps;
}
