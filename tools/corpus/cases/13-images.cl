//= OpenCL C 6.9 b: an image is a parameter
//= ok
kernel void k(image2d_t i, global float4* o) { *o = read_imagef(i, (int2)(0)); }

//= OpenCL C 6.6: access qualifiers in every spelling
//= ok
kernel void k(read_only image2d_t a, __read_only image3d_t b, write_only image1d_t c, __write_only image2d_array_t d) {}

//= OpenCL C 6.6: an image is read_only by default
//= error 2
kernel void k(image2d_t i) {
  write_imagef(i, (int2)(0), (float4)(0));
}

//= OpenCL C 6.6: a write_only image is not read
//= error 2
kernel void k(write_only image2d_t i, global float4* o) {
  *o = read_imagef(i, (int2)(0));
}

//= OpenCL C 6.6: a write_only image is not sampled
//= error 2
kernel void k(write_only image2d_t i, sampler_t s, global float4* o) {
  *o = read_imagef(i, s, (float2)(0));
}

//= OpenCL C 6.6: access qualifiers are for images
//= error 1
kernel void k(read_only int i) {}

//= OpenCL C 6.6: access qualifiers are not for pointers
//= error 1
kernel void k(write_only global int* i) {}

//= OpenCL C 6.6: read_write in OpenCL C 1.2
//= error 1
kernel void k(read_write image2d_t i) {}

//= OpenCL C 6.6: read_write in OpenCL C 3.0
//= options: -cl-std=CL3.0
//= ok
kernel void k(read_write image2d_t i) { write_imagef(i, (int2)(0), read_imagef(i, (int2)(1))); }

//= OpenCL C 6.6: a read_write image has no sampler
//= options: -cl-std=CL3.0
//= error 3
kernel void k(read_write image2d_t i, sampler_t s) {
  write_imagef(i, (int2)(0), (float4)(0));
  float4 v = read_imagef(i, s, (int2)(1));
}

//= OpenCL C 6.9 b: functions are given images and samplers
//= ok
float4 f(image2d_t i, sampler_t s) { return read_imagef(i, s, (float2)(0)); }
kernel void k(image2d_t i, sampler_t s, global float4* o) { *o = f(i, s); }

//= OpenCL C 6.9 b: a function requires another access
//= error 3
void f(write_only image2d_t i) {}
kernel void k(read_only image2d_t i) {
  f(i);
}

//= OpenCL C 6.9 b: a function requires another image type
//= error 3
void f(image3d_t i) {}
kernel void k(image2d_t i) {
  f(i);
}

//= OpenCL C 6.9 b: an image is no variable
//= error 2
kernel void k(image2d_t i) {
  image2d_t j;
}

//= OpenCL C 6.9 b: an image is not assigned
//= error 2
kernel void k(image2d_t i, image2d_t j) {
  i = j;
}

//= OpenCL C 6.9 b: an image is no member of a struct
//= error 1
struct S { image2d_t i; };
kernel void k(global int* o) { *o = 1; }

//= OpenCL C 6.9 b: a sampler is no member of a union
//= error 1
union S { sampler_t s; int i; };
kernel void k(global int* o) { *o = 1; }

//= OpenCL C 6.9 b: no pointers to images
//= error 2
kernel void k(image2d_t i) {
  image2d_t* p;
}

//= OpenCL C 6.9 b: no addresses of images
//= error 2
kernel void k(image2d_t i) {
  &i;
}

//= OpenCL C 6.9 b: no arrays of images
//= error 1
kernel void k(image2d_t i[2]) {}

//= OpenCL C 6.9 b: no arrays of samplers
//= error 2
kernel void k(sampler_t a) {
  sampler_t s[2];
}

//= OpenCL C 6.9 b: no images in program scope
//= error 1
constant image2d_t i;
kernel void k(global int* o) { *o = 1; }

//= OpenCL C 6.9 b: a function returns no image
//= error 1
image2d_t f(image2d_t i) { return i; }
kernel void k(global int* o) { *o = 1; }

//= OpenCL C 6.9 b: no arithmetic on images
//= error 2
kernel void k(image2d_t i, global int* o) {
  *o = i + 1;
}

//= OpenCL C 6.9 b: an image is no condition
//= error 2
kernel void k(image2d_t i, global int* o) {
  if (i) *o = 1;
}

//= OpenCL C 6.9 b: an image is not cast
//= error 2
kernel void k(image2d_t i, global int* o) {
  *o = (int)i;
}

//= OpenCL C 6.12.14.1: a sampler constant of the program
//= ok
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void k(image2d_t i, global float4* o) { *o = read_imagef(i, s, (float2)(0.5f)); }

//= OpenCL C 6.12.14.1: a const sampler of the program
//= ok
const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void k(image2d_t i, global float4* o) { *o = read_imagef(i, s, (int2)(0)); }

//= OpenCL C 6.12.14.1: a sampler of a kernel
//= ok
kernel void k(image2d_t i, global float4* o) {
  const sampler_t s = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
  *o = read_imagef(i, s, (int2)(0));
}

//= OpenCL C 6.12.14.1: a sampler of the program is const
//= error 1
sampler_t s = CLK_ADDRESS_NONE;
kernel void k(global int* o) { *o = 1; }

//= OpenCL C 6.12.14.1: a sampler of the program has a value
//= error 1
const sampler_t s;
kernel void k(image2d_t i, global float4* o) { *o = read_imagef(i, s, (int2)(0)); }

//= OpenCL C 6.12.14.1: the value of a sampler is constant
//= error 2
kernel void k(image2d_t i, global float4* o, uint n) {
  const sampler_t s = n;
  *o = read_imagef(i, s, (int2)(0));
}

//= OpenCL C 6.12.14.1: the value of a sampler is an integer
//= error 1
constant sampler_t s = 1.0f;
kernel void k(image2d_t i, global float4* o) { *o = read_imagef(i, s, (int2)(0)); }

//= OpenCL C 6.12.14.1: no samplers in local memory
//= error 2
kernel void k(global int* o) {
  local sampler_t s;
}

//= OpenCL C 6.12.14.2: every image type is read through a sampler
//= ok
kernel void k(image1d_t a, image1d_array_t b, image2d_t c, image2d_array_t d, image3d_t e, sampler_t s, global float4* o) {
  *o = read_imagef(a, s, 0.5f) + read_imagef(a, s, 1) + read_imagef(b, s, (float2)(0)) + read_imagef(b, s, (int2)(0)) + read_imagef(c, s, (int2)(0)) + read_imagef(d, s, (float4)(0)) + read_imagef(d, s, (int4)(0)) + read_imagef(e, s, (float4)(0)) + read_imagef(e, s, (int4)(0));
}

//= OpenCL C 6.12.14.2: signed and unsigned reads
//= ok
kernel void k(image2d_t c, sampler_t s, global int4* o, global uint4* u) { *o = read_imagei(c, s, (float2)(0)); *u = read_imageui(c, s, (int2)(0)); }

//= OpenCL C 6.12.14.3: reads without a sampler
//= ok
kernel void k(image1d_t a, image1d_array_t b, image1d_buffer_t f, image2d_t c, image2d_array_t d, image3d_t e, global int4* o) {
  *o = read_imagei(a, 1) + read_imagei(b, (int2)(0)) + read_imagei(f, 1) + read_imagei(c, (int2)(0)) + read_imagei(d, (int4)(0)) + read_imagei(e, (int4)(0));
}

//= OpenCL C 6.12.14.2: coordinates of the wrong size
//= error 2
kernel void k(image2d_t i, sampler_t s, global float4* o) {
  *o = read_imagef(i, s, (int4)(0));
}

//= OpenCL C 6.12.14.2: an image over a buffer has no sampler
//= error 2
kernel void k(image1d_buffer_t i, sampler_t s, global float4* o) {
  *o = read_imagef(i, s, 1);
}

//= OpenCL C 6.12.14.3: without a sampler coordinates are ints
//= error 2
kernel void k(image2d_t i, global float4* o) {
  *o = read_imagef(i, (float2)(0));
}

//= OpenCL C 6.12.14.4: writes
//= ok
kernel void k(write_only image1d_t a, write_only image1d_array_t b, write_only image1d_buffer_t f, write_only image2d_t c, write_only image2d_array_t d) {
  write_imagef(a, 1, (float4)(0)); write_imagei(b, (int2)(0), (int4)(0)); write_imageui(f, 1, (uint4)(0)); write_imagef(c, (int2)(0), (float4)(0)); write_imagei(d, (int4)(0), (int4)(0));
}

//= OpenCL C 9.5: writes to 3-D images
//= ok
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
kernel void k(write_only image3d_t i) { write_imagef(i, (int4)(0), (float4)(0)); }

//= OpenCL C 6.12.14.4: a write of the wrong type
//= error 2
kernel void k(write_only image2d_t i) {
  write_imagei(i, (int2)(0), (float4)(0));
}

//= OpenCL C 6.12.14.5: questions
//= ok
kernel void k(image2d_t c, image2d_array_t d, write_only image3d_t e, image1d_t a, global int* o) {
  int2 s = get_image_dim(c); int4 t = get_image_dim(e);
  *o = get_image_width(a) + get_image_height(c) + get_image_depth(e) + (int)get_image_array_size(d) + s.x + t.z + (get_image_channel_order(c) == CLK_RGBA) + (get_image_channel_data_type(c) == CLK_UNORM_INT8);
}

//= OpenCL C 6.12.14.5: a line has no height
//= error 2
kernel void k(image1d_t a, global int* o) {
  *o = get_image_height(a);
}

//= OpenCL C 6.12.14.5: a plane has no depth
//= error 2
kernel void k(image2d_t a, global int* o) {
  *o = get_image_depth(a);
}

//= OpenCL C 6.12.14.5: only arrays have a size
//= error 2
kernel void k(image2d_t a, global int* o) {
  *o = get_image_array_size(a);
}

//= OpenCL C 6.1.3: a typedef of an image type
//= ok
typedef image2d_t picture;
kernel void k(picture i, global float4* o) { *o = read_imagef(i, (int2)(0)); }

//= OpenCL C 6.10: images are announced
//= ok
#ifndef __IMAGE_SUPPORT__
#error no images
#endif
kernel void k(void) {}

//= OpenCL C 6.12.14.1: a sampler of a kernel that does not say const
//= ok
kernel void k(image2d_t i, global float4* o) {
  sampler_t s = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
  *o = read_imagef(i, s, (int2)(0));
}

//= OpenCL C 6.12.14.1: a sampler in constant memory of a kernel
//= ok
kernel void k(image2d_t i, global float4* o) {
  constant sampler_t s = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
  *o = read_imagef(i, s, (int2)(0));
}

//= OpenCL C 6.3 i: a choice between images
//= ok
kernel void k(image2d_t i, image2d_t j, global int* o, int n) {
  *o = get_image_width(n ? i : j);
}

//= OpenCL C 6.9 b: images are not compared
//= error 2
kernel void k(image2d_t i, image2d_t j, global int* o) {
  *o = i == j;
}

//= OpenCL C 6.9 b: a sampler is not changed
//= error 2
kernel void k(image2d_t i, sampler_t s) {
  s = CLK_ADDRESS_NONE;
}

//= OpenCL C 6.9 b: no pointers to samplers
//= error 1
kernel void k(global sampler_t* s) {}

//= OpenCL C 6.9 b: a function returns no sampler
//= error 1
sampler_t f(sampler_t s) { return s; }
kernel void k(global int* o) { *o = 1; }

//= OpenCL C 6.9 b: an image has no members
//= error 2
kernel void k(image2d_t i, global int* o) {
  *o = i.width;
}

//= OpenCL C 6.12.14.2: too few arguments
//= error 2
kernel void k(image2d_t i, global float4* o) {
  *o = read_imagef(i);
}

//= OpenCL C 9.4: half images need cl_khr_fp16
//= ok
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(image2d_t i, write_only image2d_t j, sampler_t s, global half4* o) { *o = read_imageh(i, s, (int2)(0)); write_imageh(j, (int2)(0), *o); }

//= OpenCL C 9.12: depth images
//= ok
#pragma OPENCL EXTENSION cl_khr_depth_images : enable
kernel void k(image2d_depth_t i, write_only image2d_array_depth_t j, sampler_t s, global float* o) { *o = read_imagef(i, s, (float2)(0)); write_imagef(j, (int4)(0), 1.0f); }
