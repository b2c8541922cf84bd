// Dynamic programming in local memory.
#define TILE 32

// Scores of the global alignment of two sequences of 32 letters: a work-group walks along the anti-diagonals.
kernel void nw_tile(int gap, int match, int mismatch, global const uchar *first, global const uchar *second,
                    global int *last) {
  local int score[(TILE + 1) * (TILE + 1)];
  local uchar across[TILE];
  int lid = get_local_id(0), base = get_group_id(0) * TILE;
  across[lid] = first[base + lid] & 3;
  uchar own = second[base + lid] & 3;
  score[lid + 1] = -gap * (lid + 1);
  score[(lid + 1) * (TILE + 1)] = -gap * (lid + 1);
  if (lid == 0) score[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 0; d < 2 * TILE - 1; d++) {
    int x = d - lid;
    if (x >= 0 && x < TILE) {
      int at = (lid + 1) * (TILE + 1) + x + 1;
      int diagonal = score[at - TILE - 2] + (across[x] == own ? match : mismatch);
      score[at] = max(diagonal, max(score[at - 1], score[at - TILE - 1]) - gap);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  last[base + lid] = score[TILE * (TILE + 1) + lid + 1];
}
