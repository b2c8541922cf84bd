// Filters over rows and images with edges.

// A level of the reversible 5/3 wavelet along rows: details to the right half, averages to the left one, mirrored at
// the ends. A work-group of 64 makes 64 pairs; its details lie in local memory, the one before them too.
kernel void dwt53(int pairs, global const short *image, global short *out) {
  local short detail[65];
  int lid = get_local_id(0), i = get_global_id(0), width = 2 * pairs;
  global const short *row = image + get_global_id(1) * width;
  short even = row[2 * i], next = row[i + 1 < pairs ? 2 * i + 2 : 2 * i];
  short d = row[2 * i + 1] - (short)((even + next) >> 1);
  detail[lid + 1] = d;
  if (lid == 0) {
    int b = i > 0 ? i - 1 : 0;
    detail[0] = row[2 * b + 1] - (short)((row[2 * b] + row[2 * b + 2]) >> 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  global short *line = out + get_global_id(1) * width;
  line[i] = even + (short)((detail[lid] + d + 2) >> 2);
  line[pairs + i] = d;
}

// Coefficients of speckle-reducing anisotropic diffusion from the four neighbours, clamped at the edges.
kernel void srad(int width, int height, float q0, global const float *image, global float *coefficient) {
  int x = get_global_id(0), y = get_global_id(1);
  float c = image[y * width + x];
  float north = image[max(y - 1, 0) * width + x] - c, south = image[min(y + 1, height - 1) * width + x] - c;
  float west = image[y * width + max(x - 1, 0)] - c, east = image[y * width + min(x + 1, width - 1)] - c;
  float gradient = (north * north + south * south + west * west + east * east) / (c * c);
  float laplacian = (north + south + west + east) / c;
  float numerator = 0.5f * gradient - 0.0625f * laplacian * laplacian;
  float denominator = 1.0f + 0.25f * laplacian;
  float q = numerator / (denominator * denominator);
  float value = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  coefficient[y * width + x] = clamp(value, 0.0f, 1.0f);
}
