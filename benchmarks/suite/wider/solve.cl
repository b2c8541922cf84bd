// Solvers in steps.

// A sweep of Jacobi's method on a plane in double precision; the edge stays.
kernel void jacobi_double(uint width, uint height, double h2, global const double *u, global const double *f,
                          global double *next) {
  uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
  if (x == 0u || y == 0u || x == width - 1u || y == height - 1u) {
    next[i] = u[i];
    return;
  }
  next[i] = 0.25 * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + h2 * f[i]);
}

// Membrane models of excitable cells with six gates, some steps of Euler's method: long bodies of exponentials and
// divisions without memory.
float settle(float gate, float rise, float fall, float dt) { return gate + dt * (rise * (1.0f - gate) - fall * gate); }

kernel void ode_cell(uint steps, float dt, global const float *current, global float *voltage, global float *calcium) {
  size_t i = get_global_id(0);
  float v = -45.0f, ca = 0.0002f, drive = current[i];
  float m = 0.01f, h = 0.98f, j = 0.97f, d = 0.003f, f = 0.99f, x = 0.006f;
  for (uint step = 0; step < steps; step++) {
    float am = fabs(v + 47.13f) < 0.001f ? 3.2f : 0.32f * (v + 47.13f) / (1.0f - exp(-0.1f * (v + 47.13f)));
    float bm = 0.08f * exp(-v / 11.0f);
    float ah = v >= -40.0f ? 0.0f : 0.135f * exp((80.0f + v) / -6.8f);
    float bh = v >= -40.0f ? 1.0f / (0.13f * (1.0f + exp((v + 10.66f) / -11.1f)))
                           : 3.56f * exp(0.079f * v) + 310000.0f * exp(0.35f * v);
    float aj = v >= -40.0f ? 0.0f : 0.02f * exp(-0.05f * (v + 78.0f)) / (1.0f + exp(-0.2f * (v + 78.0f)));
    float bj = 0.3f / (1.0f + exp(-0.1f * (v + 32.0f)));
    float ad = 0.095f * exp(-0.01f * (v - 5.0f)) / (1.0f + exp(-0.072f * (v - 5.0f)));
    float bd = 0.07f * exp(-0.017f * (v + 44.0f)) / (1.0f + exp(0.05f * (v + 44.0f)));
    float af = 0.012f * exp(-0.008f * (v + 28.0f)) / (1.0f + exp(0.15f * (v + 28.0f)));
    float bf = 0.0065f * exp(-0.02f * (v + 30.0f)) / (1.0f + exp(-0.2f * (v + 30.0f)));
    float ax = 0.0005f * exp(0.083f * (v + 50.0f)) / (1.0f + exp(0.057f * (v + 50.0f)));
    float bx = 0.0013f * exp(-0.06f * (v + 20.0f)) / (1.0f + exp(-0.04f * (v + 20.0f)));
    float sodium = (4.0f * m * m * m * h * j + 0.003f) * (v - 54.8f);
    float slow = 0.09f * d * f * (v + 82.3f + 13.0287f * log(ca * 0.001f));
    float rectifier = 0.35f * (4.0f * (exp(0.04f * (v + 85.0f)) - 1.0f) / (exp(0.08f * (v + 53.0f)) + exp(0.04f * (v + 53.0f))) +
                               0.2f * (v + 23.0f) / (1.0f - exp(-0.04f * (v + 23.01f))));
    float delayed = 0.8f * x * (exp(0.04f * (v + 77.0f)) - 1.0f) / exp(0.04f * (v + 35.0f));
    m = settle(m, am, bm, dt);
    h = settle(h, ah, bh, dt);
    j = settle(j, aj, bj, dt);
    d = settle(d, ad, bd, dt);
    f = settle(f, af, bf, dt);
    x = settle(x, ax, bx, dt);
    ca = fmax(ca + dt * (-0.01f * slow + 0.07f * (0.0001f - ca)), 0.00001f);
    v -= dt * (sodium + slow + rectifier + delayed - drive);
  }
  voltage[i] = v;
  calcium[i] = ca;
}
