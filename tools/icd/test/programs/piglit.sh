#!/bin/bash
# Piglit's tests of OpenCL: those of the interface, and those whose kernels are written by hand. One line each: pass, skip or fail, and the name.
cd /usr/lib/x86_64-linux-gnu/piglit || exit 1
export PIGLIT_SOURCE_DIR=$PWD
say() { echo "$(grep -oE '^PIGLIT: \{"result": "[a-z]+' | tail -1 | grep -oE '[a-z]+$') $1"; }
for test in bin/cl-api-* bin/cl-custom-* bin/cl-program-[bmp]*; do $test 2>/dev/null | say "${test#bin/}"; done
for test in tests/cl/program/execute/*.{cl,program_test}; do bin/cl-program-tester "$test" 2>/dev/null | say "${test#tests/cl/program/}"; done
