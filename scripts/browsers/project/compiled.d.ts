// SPDX-License-Identifier: Apache-2.0
/** What the imported kernel makes of numbers. */
export declare function scaled(numbers: Float32Array, by: number): Promise<Float32Array>;
