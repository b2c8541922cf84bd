#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(push_constant) uniform P { float rate, vol; } p;
layout(set = 0, binding = 0) readonly buffer A { float price[]; };
layout(set = 0, binding = 1) readonly buffer B { float strike[]; };
layout(set = 0, binding = 2) readonly buffer C { float years[]; };
layout(set = 0, binding = 3) writeonly buffer D { float call[]; };
layout(set = 0, binding = 4) writeonly buffer E { float put[]; };
float cnd(float x) {
  float t = 1.0 / (1.0 + 0.2316419 * abs(x));
  float poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  float tail = 0.39894228 * exp(-0.5 * x * x) * poly;
  return x > 0.0 ? 1.0 - tail : tail;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  float s = price[i], x = strike[i], t = years[i];
  float sq = p.vol * sqrt(t);
  float d1 = (log(s / x) + (p.rate + 0.5 * p.vol * p.vol) * t) / sq;
  float d2 = d1 - sq;
  float n1 = cnd(d1), n2 = cnd(d2);
  float disc = x * exp(-p.rate * t);
  call[i] = s * n1 - disc * n2;
  put[i] = disc * (1.0 - n2) - s * (1.0 - n1);
}
