#version 450
// Writes far behind its buffer: outside of all memory, unless the device is robust.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() {
  data[0] = 1;
  data[0x2fffffffu] = 2;
}
