#version 450
// Counts work-groups, sums their ids, and notes how many there are.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() {
  atomicAdd(data[0], 1);
  for (uint axis = 0; axis < 3; axis++) {
    atomicAdd(data[1 + axis], gl_WorkGroupID[axis]);
    data[4 + axis] = gl_NumWorkGroups[axis];
  }
}
