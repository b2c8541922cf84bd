# SPDX-License-Identifier: Apache-2.0
# Algorithms of PyOpenCL, CLBlast and clFFT on PoCL, and of NumPy, for `npm run bench:algorithms -- --pocl`. Reads requests
# as JSON, a line each, and answers each by a line: {"size": {...}} makes the arrays of a size; {"run": name, "side":
# library} runs an algorithm once and says how many ms it took. The first line that it writes says what is here.
import ctypes
import json
import sys
import time


def found(load):
    """What a loader returns, or why it cannot."""
    try:
        return load(), None
    except Exception as error:  # Whatever a library lacks is said, not hidden.
        return None, f"{type(error).__name__}: {error}".splitlines()[0]


def load_numpy():
    import numpy

    return numpy


def load_pyopencl():
    import pyopencl
    import pyopencl.algorithm
    import pyopencl.array
    import pyopencl.clrandom
    import pyopencl.elementwise
    import pyopencl.reduction
    import pyopencl.scan

    return pyopencl


def pocl_device(cl):
    for platform in cl.get_platforms():
        if platform.name == "Portable Computing Language":
            return platform.get_devices()[0]
    raise RuntimeError("no platform of PoCL")


np, no_numpy = found(load_numpy)
cl, no_pyopencl = found(load_pyopencl) if np is not None else (None, "NumPy is missing")
device, no_pocl = found(lambda: pocl_device(cl)) if cl is not None else (None, "PyOpenCL is missing")
clblast, no_clblast = found(lambda: ctypes.CDLL("libclblast.so.1"))
clfft, no_clfft = found(lambda: ctypes.CDLL("libclFFT.so.2"))

P = ctypes.c_void_p
Z = ctypes.c_size_t
I = ctypes.c_int
F = ctypes.c_float


def check(name, status):
    if status != 0:
        raise RuntimeError(f"{name} returned {status}")


class Blast:
    """Calls of CLBlast with the handles of PyOpenCL."""

    def __init__(self, queue):
        self.queue = P(queue.int_ptr)

    def call(self, name, *arguments):
        # A queue is passed by its address; no event is asked for.
        check(name, getattr(clblast, name)(*arguments, ctypes.byref(self.queue), None))


def memory(array):
    return P(array.base_data.int_ptr)


class SetupData(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint), ("minor", ctypes.c_uint), ("patch", ctypes.c_uint), ("debug", ctypes.c_uint64)]


class Fourier:
    """A plan of clFFT: complex floats in turns, row by row, into another array."""

    def __init__(self, context, queue, rows, length):
        setup = SetupData(2, 12, 2, 0)
        check("clfftSetup", clfft.clfftSetup(ctypes.byref(setup)))
        self.plan, self.queue = Z(0), P(queue.int_ptr)
        lengths = (Z * 1)(length)
        check(
            "clfftCreateDefaultPlan",
            clfft.clfftCreateDefaultPlan(ctypes.byref(self.plan), P(context.int_ptr), I(1), lengths),
        )
        check("clfftSetPlanPrecision", clfft.clfftSetPlanPrecision(self.plan, I(1)))
        check("clfftSetLayout", clfft.clfftSetLayout(self.plan, I(1), I(1)))
        check("clfftSetResultLocation", clfft.clfftSetResultLocation(self.plan, I(2)))
        check("clfftSetPlanBatchSize", clfft.clfftSetPlanBatchSize(self.plan, Z(rows)))
        check("clfftBakePlan", clfft.clfftBakePlan(self.plan, ctypes.c_uint(1), ctypes.byref(self.queue), None, None))

    def run(self, array, out):
        from_, to = P(array.base_data.int_ptr), P(out.base_data.int_ptr)
        check(
            "clfftEnqueueTransform",
            clfft.clfftEnqueueTransform(
                self.plan,
                I(-1),
                ctypes.c_uint(1),
                ctypes.byref(self.queue),
                ctypes.c_uint(0),
                None,
                None,
                ctypes.byref(from_),
                ctypes.byref(to),
                None,
            ),
        )


def numpy_sides(size):
    n, side, m = size["length"], size["side"], size["matrix"]
    rows, length = size["transforms"]
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, n).astype(np.float32)
    whole = rng.integers(0, 1_000_000, n, dtype=np.int32)
    wide = rng.integers(-(2**31), 2**31, n, dtype=np.int32)
    few = rng.integers(0, 9, n, dtype=np.int32)
    data = (few * 28).astype(np.uint8)
    image = rng.uniform(0, 1, (side, side)).astype(np.float32)
    a, b = (rng.uniform(-1, 1, (m, m)).astype(np.float32) for _ in range(2))
    signal = (rng.uniform(-1, 1, (rows, length)) + 1j * rng.uniform(-1, 1, (rows, length))).astype(np.complex64)
    out = np.empty_like(x)
    philox = np.random.Generator(np.random.Philox(3))
    return {
        "map": lambda: np.sqrt(x * x + np.float32(1), out=out),
        "reduce": lambda: x.sum(),
        "scan": lambda: np.cumsum(whole, dtype=np.int32),
        "histogram": lambda: np.bincount(data, minlength=256),
        "compact": lambda: few[few == 3],
        "unique": lambda: few[np.concatenate(([True], few[1:] != few[:-1]))],
        "random": lambda: philox.random(n, dtype=np.float32),
        "sort": lambda: np.sort(wide, kind="stable"),
        "sortByKey": lambda: np.argsort(wide, kind="stable"),
        "transpose": lambda: np.ascontiguousarray(image.T),
        "multiply": lambda: a @ b,
        "fft": lambda: np.fft.fft(signal),
    }


class Sides:
    """The algorithms of PyOpenCL, CLBlast and clFFT for arrays of a size."""

    def __init__(self):
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)

    def pyopencl(self, size):
        n = size["length"]
        context, queue = self.context, self.queue
        rng = np.random.default_rng(1)
        put = lambda values: cl.array.to_device(queue, values)
        x = put(rng.uniform(-1, 1, n).astype(np.float32))
        whole = put(rng.integers(0, 1_000_000, n, dtype=np.int32))
        wide = put(rng.integers(-(2**31), 2**31, n, dtype=np.int32))
        few = put(rng.integers(0, 9, n, dtype=np.int32))
        out, sums, order = cl.array.empty_like(x), cl.array.empty_like(whole), cl.array.arange(queue, n, dtype=np.uint32)
        apply = cl.elementwise.ElementwiseKernel(context, "float *out, const float *a", "out[i] = sqrt(a[i] * a[i] + 1)")
        add = cl.reduction.ReductionKernel(context, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]", arguments="__global float *x")
        scan = cl.scan.InclusiveScanKernel(context, np.int32, "a+b", neutral="0")
        sort = cl.algorithm.RadixSort(context, "int *ary", key_expr="ary[i] ^ 0x80000000", sort_arg_names=["ary"], key_dtype=np.uint32)
        pairs = cl.algorithm.RadixSort(
            context, "int *ary, uint *values", key_expr="ary[i] ^ 0x80000000", sort_arg_names=["ary", "values"], key_dtype=np.uint32
        )
        philox = cl.clrandom.PhiloxGenerator(context, seed=3)
        return {
            "map": lambda: apply(out, x),
            "reduce": lambda: add(x).get(),
            "scan": lambda: scan(whole, sums),
            "compact": lambda: int(cl.algorithm.copy_if(few, "ary[i] == 3")[1].get()),
            "unique": lambda: int(cl.algorithm.unique(few)[1].get()),
            "random": lambda: philox.fill_uniform(out, queue=queue),
            "sort": lambda: sort(wide),
            "sortByKey": lambda: pairs(wide, order),
        }

    def clblast(self, size):
        n, side, m = size["length"], size["side"], size["matrix"]
        queue, blast = self.queue, Blast(self.queue)
        make = lambda count: cl.clrandom.rand(queue, count, np.float32)
        x, total = make(n), cl.array.zeros(queue, 1, np.float32)
        image, turned, weights = make(side * side), cl.array.empty(queue, side * side, np.float32), make(9)
        a, b, c = make(m * m), make(m * m), cl.array.empty(queue, m * m, np.float32)
        row_major, plain, swapped, correlation = I(101), I(111), I(112), I(151)
        gemm = (row_major, plain, plain, Z(m), Z(m), Z(m), F(1), memory(a), Z(0), Z(m), memory(b), Z(0), Z(m), F(0), memory(c), Z(0), Z(m))
        turn = (row_major, swapped, Z(side), Z(side), F(1), memory(image), Z(0), Z(side), memory(turned), Z(0), Z(side))
        convolution = [correlation] + [Z(v) for v in (1, side, side, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1)]
        convolution += [memory(image), Z(0), memory(weights), Z(0), memory(turned), Z(0)]
        self.kept = (x, total, image, turned, weights, a, b, c)
        return {
            "reduce": lambda: (blast.call("CLBlastSsum", Z(n), memory(total), Z(0), memory(x), Z(0), Z(1)), total.get()),
            "transpose": lambda: blast.call("CLBlastSomatcopy", *turn),
            "multiply": lambda: blast.call("CLBlastSgemm", *gemm),
            "convolve": lambda: blast.call("CLBlastSconvgemm", *convolution),
        }

    def clfft(self, size):
        rows, length = size["transforms"]
        rng = np.random.default_rng(1)
        signal = cl.array.to_device(self.queue, rng.uniform(-1, 1, rows * length * 2).astype(np.float32))
        out = cl.array.empty_like(signal)
        plan = Fourier(self.context, self.queue, rows, length)
        return {"fft": lambda: plan.run(signal, out)}


def answer(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main():
    missing = {
        "NumPy": no_numpy,
        "PyOpenCL": no_pyopencl,
        "PoCL": no_pocl,
        "CLBlast": no_clblast if device is not None else "PoCL is missing",
        "clFFT": no_clfft if device is not None else "PoCL is missing",
    }
    here = {}
    if np is not None:
        here["NumPy"] = f"NumPy {np.__version__}"
    if device is not None:
        here["PyOpenCL"] = f"PyOpenCL {cl.VERSION_TEXT}"
        here["PoCL"] = device.version.strip()
    answer({"here": here, "missing": {name: why for name, why in missing.items() if why is not None}})
    made = Sides() if device is not None else None
    sides = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "size" in request:
            sides, failed = {}, {}
            builders = {"NumPy": (np, numpy_sides)}
            if made is not None:
                builders["PyOpenCL"] = (cl, made.pyopencl)
                builders["CLBlast"] = (clblast, made.clblast)
                builders["clFFT"] = (clfft, made.clfft)
            for name, (library, build) in builders.items():
                if library is None:
                    continue
                value, why = found(lambda: build(request["size"]))
                if value is None:
                    failed[name] = why
                else:
                    sides[name] = value
            answer({"sides": {name: list(table) for name, table in sides.items()}, "failed": failed})
            continue
        run = sides[request["side"]][request["run"]]
        used, begin = time.process_time(), time.perf_counter()
        _, why = found(lambda: (run(), made.queue.finish() if made is not None else None))
        ms, processor = (time.perf_counter() - begin) * 1000, (time.process_time() - used) * 1000
        answer({"ms": ms, "processor": processor} if why is None else {"failed": why})


main()
