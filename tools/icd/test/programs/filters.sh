#!/bin/bash
# The frames that FFmpeg's filters for OpenCL make, ten of each, as they are.
convert() { ffmpeg -hide_banner -loglevel error -init_hw_device opencl=device -filter_hw_device device "$@" -f rawvideo -; }
one() { convert -f lavfi -i testsrc=size=640x480:rate=10:duration=1 -vf "format=$2,hwupload,$1,hwdownload,format=$2"; }
two() { convert -f lavfi -i testsrc=size=640x480:rate=10:duration=1 -f lavfi -i testsrc2=size=640x480:rate=10:duration=1 -filter_complex "[0:v]format=yuv420p,hwupload[a];[1:v]format=yuv420p,hwupload[b];[a][b]$1,hwdownload,format=yuv420p"; }
for filter in boxblur_opencl=luma_radius=3:chroma_radius=2:luma_power=2 unsharp_opencl=lx=5:ly=5:la=1.5 unsharp_opencl=lx=13:ly=13:la=1 erosion_opencl=coordinates=231 dilation_opencl=threshold0=30 "convolution_opencl='0 -1 0 -1 5 -1 0 -1 0:0 -1 0 -1 5 -1 0 -1 0'" \
  prewitt_opencl=scale=2 roberts_opencl nlmeans_opencl=s=2:p=5:r=9 transpose_opencl=dir=clock pad_opencl=w=700:h=500:x=10:y=20:color=red; do one "$filter" yuv420p; done
one colorkey_opencl=color=green:similarity=0.3:blend=0.1 rgba
two overlay_opencl=x=20:y=30
for transition in wipeleft slideup fade; do two xfade_opencl=transition=$transition:duration=0.5:offset=0.3; done
