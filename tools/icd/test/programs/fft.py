# Fourier transforms of clFFT by gpyfft, against numpy.
import sys
import numpy
import pyopencl
import pyopencl.array
from gpyfft.fft import FFT

context = pyopencl.Context(pyopencl.get_platforms()[0].get_devices())
queue = pyopencl.CommandQueue(context)
random = numpy.random.RandomState(1)
failures = 0

def check(name, holds):
    global failures
    print(("ok " if holds else "not ok ") + name)
    failures += not holds

for shape, axes in [((4096,), (0,)), ((16, 1024), (1,)), ((128, 128), (0, 1)), ((60, 90), (0, 1)), ((7, 121), (0, 1)), ((16, 32, 20), (0, 1, 2))]:
    given = (random.randn(*shape) + 1j * random.randn(*shape)).astype(numpy.complex64)
    source = pyopencl.array.to_device(queue, given)
    result = pyopencl.array.zeros_like(source)
    transform = FFT(context, queue, source, result, axes=axes)
    for event in transform.enqueue(): event.wait()
    wanted = numpy.fft.fftn(given, axes=axes)
    check("forward %s over %s" % (shape, axes), numpy.abs(result.get() - wanted).max() <= 2e-6 * numpy.abs(wanted).max() * numpy.log2(given.size))
    back = pyopencl.array.zeros_like(source)
    inverse = FFT(context, queue, result, back, axes=axes)
    for event in inverse.enqueue(forward=False): event.wait()
    check("and back", numpy.abs(back.get() - given).max() < 1e-4)
real = random.randn(64, 256).astype(numpy.float32)
source = pyopencl.array.to_device(queue, real)
result = pyopencl.array.zeros(queue, (64, 129), numpy.complex64)
for event in FFT(context, queue, source, result, axes=(1,), real=True).enqueue(): event.wait()
check("real numbers", numpy.allclose(result.get(), numpy.fft.rfft(real, axis=1), atol=1e-3))
sys.exit(failures != 0)
