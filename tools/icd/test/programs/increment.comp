// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main() { words[gl_GlobalInvocationID.x] += 1; }
