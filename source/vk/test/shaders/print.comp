#version 450
// Prints which work-group it is.
#extension GL_EXT_debug_printf : require
layout(local_size_x = 1) in;
void main() { debugPrintfEXT("group %u of %v2u", gl_WorkGroupID.x, gl_NumWorkGroups.xy); }
