#version 450
// How often z = z * z + c can be done before z is far away, as a colour of each pixel.
layout(local_size_x = 16, local_size_y = 16) in;
layout(constant_id = 0) const uint MOST = 256;
layout(set = 0, binding = 0) writeonly buffer Picture { uint pixels[]; };
layout(push_constant) uniform View { vec2 corner; float step; uint width; uint height; } view;

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= view.width || at.y >= view.height) return;
  precise float cx = view.corner.x + float(at.x) * view.step;
  precise float cy = view.corner.y + float(at.y) * view.step;
  precise float x = 0.0;
  precise float y = 0.0;
  uint count = 0;
  while (count < MOST && x * x + y * y <= 4.0) {
    precise float next = x * x - y * y + cx;
    y = 2.0 * x * y + cy;
    x = next;
    count++;
  }
  uint shade = count == MOST ? 0 : count;
  uint red = min(255, shade * 2), green = min(255, shade * 5), blue = min(255, 40 + shade * 9);
  pixels[at.y * view.width + at.x] = count == MOST ? 0xff000000 : red | green << 8 | blue << 16 | 0xff000000;
}
