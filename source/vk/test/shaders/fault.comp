#version 450
// Runs for ever, for nothing: the device's deadline ends it.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() {
  while (data[0] < 5) data[1] = data[0] * 3 + 1;
}
