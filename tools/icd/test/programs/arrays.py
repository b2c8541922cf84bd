# PyOpenCL's own libraries, against numpy. Each check prints `ok NAME` or `not ok NAME`.
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
from pyopencl.algorithm import RadixSort
from pyopencl.clrandom import PhiloxGenerator, ThreefryGenerator
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, InclusiveScanKernel

failures = 0


def check(name, holds):
    global failures
    failures += not holds
    print("ok" if holds else "not ok", name, flush=True)


context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
random = np.random.default_rng(42)
n = 1 << 18
a = random.random(n, dtype=np.float32)
b = random.random(n, dtype=np.float32)
x, y = cla.to_device(queue, a), cla.to_device(queue, b)

check("arrays: a linear combination", np.array_equal((x * 2 + y).get(), a * 2 + b))
check("arrays: functions of math", np.allclose(cl.clmath.sin(x).get() if hasattr(cl, "clmath") else __import__("pyopencl.clmath").clmath.sin(x).get(), np.sin(a), atol=1e-6))
z = cla.empty_like(x)
ElementwiseKernel(context, "float a, float *x, float *y, float *z", "z[i] = a * x[i] * y[i]", "scaled_product")(3.0, x, y, z)
check("elementwise kernels", np.allclose(z.get(), 3 * a * b, rtol=1e-6))
check("sums and scalar products", np.isclose(cla.sum(x).get(), a.sum(dtype=np.float64), rtol=1e-5) and np.isclose(cla.dot(x, y).get(), a.astype(np.float64).dot(b), rtol=1e-5))
largest = ReductionKernel(context, np.float32, neutral="-INFINITY", reduce_expr="fmax(a, b)", map_expr="x[i]", arguments="__global float *x")
check("reductions", largest(x).get() == a.max())
numbers = random.integers(0, 10, 100_003).astype(np.int32)
sums = cla.to_device(queue, numbers)
InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(sums)
check("inclusive scans", np.array_equal(sums.get(), numbers.cumsum()))
sums = cla.to_device(queue, numbers)
ExclusiveScanKernel(context, np.int32, "a+b", neutral="0")(sums)
check("exclusive scans", np.array_equal(sums.get(), numbers.cumsum() - numbers))
keys = random.integers(0, 1 << 30, 50_021).astype(np.int32)
(ordered,), _ = RadixSort(context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"])(cla.to_device(queue, keys))
check("radix sort", np.array_equal(ordered.get(), np.sort(keys)))
uniform = PhiloxGenerator(context).uniform(queue, 200_000, np.float32).get()
check("Philox: uniform numbers", abs(uniform.mean() - 0.5) < 0.005 and abs(uniform.std() - 12 ** -0.5) < 0.005 and uniform.min() >= 0 and uniform.max() <= 1)
normal = ThreefryGenerator(context).normal(queue, 200_000, np.float32).get()
check("Threefry: normal numbers", abs(normal.mean()) < 0.01 and abs(normal.std() - 1) < 0.01)
pixels = random.integers(0, 256, (64, 48, 4)).astype(np.uint8)
image, back = cl.image_from_array(context, pixels, 4), np.empty_like(pixels)
cl.enqueue_copy(queue, back, image, origin=(0, 0), region=(48, 64))
check("images", np.array_equal(back, pixels))
buffer = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
part = np.empty(1024, np.float32)
cl.enqueue_copy(queue, part, buffer.get_sub_region(4096, 4096))
check("parts of buffers", np.array_equal(part, a[1024:2048]))
mapped, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ, 0, (n,), np.float32)
check("maps", np.array_equal(mapped, a))
mapped.base.release(queue)
sys.exit(failures)
