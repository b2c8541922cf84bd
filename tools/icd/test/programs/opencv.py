# OpenCV's kernels (its "transparent API"), against its own code for processors. Each check prints `ok NAME` or `not ok NAME`.
import sys

import cv2
import numpy as np

failures = 0


def check(name, holds):
    global failures
    failures += not holds
    print("ok" if holds else "not ok", name, flush=True)


check("there is a device", cv2.ocl.haveOpenCL())
cv2.ocl.setUseOpenCL(True)
random = np.random.default_rng(7)
image = random.integers(0, 256, (480, 640, 3)).astype(np.uint8)
grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
matrix = random.random((256, 256), dtype=np.float32)
on_device = cv2.UMat(image)


def near(own, expected, tolerance):
    return own.shape == expected.shape and np.abs(own.astype(np.float64) - expected).max() <= tolerance


check("colours to grey", near(cv2.cvtColor(on_device, cv2.COLOR_BGR2GRAY).get(), grey, 1))
check("Gaussian blur", near(cv2.GaussianBlur(on_device, (7, 7), 1.5).get(), cv2.GaussianBlur(image, (7, 7), 1.5), 1))
check("median", near(cv2.medianBlur(on_device, 3).get(), cv2.medianBlur(image, 3), 0))
check("resizing", near(cv2.resize(on_device, (320, 200)).get(), cv2.resize(image, (320, 200)), 1))
check("edges", np.count_nonzero(cv2.Canny(cv2.UMat(grey), 50, 150).get() != cv2.Canny(grey, 50, 150)) < 0.001 * grey.size)
check("erosion", near(cv2.erode(on_device, np.ones((3, 3), np.uint8)).get(), cv2.erode(image, np.ones((3, 3), np.uint8)), 0))
check("product of matrices", near(cv2.gemm(cv2.UMat(matrix), cv2.UMat(matrix), 1, None, 0).get(), matrix @ matrix, 1e-3))
check("Fourier transform", near(cv2.dft(cv2.UMat(matrix), flags=cv2.DFT_COMPLEX_OUTPUT).get(), cv2.dft(matrix, flags=cv2.DFT_COMPLEX_OUTPUT), 1e-1))
sys.exit(failures)
