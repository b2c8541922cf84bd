#version 450
// SPDX-License-Identifier: Apache-2.0
// What the figures of Vulkan's calls dispatch: adds one to words of a buffer, from the number in a push constant on.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { int data[]; };
layout(push_constant) uniform Push { uint first; };
void main() { data[first + gl_GlobalInvocationID.x] += 1; }
