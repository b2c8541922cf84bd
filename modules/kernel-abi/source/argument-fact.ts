// SPDX-License-Identifier: Apache-2.0
// What can be known of an argument before a kernel is launched.

/**
 * What a launch fixes of one of its arguments: the bits of a sampler as kernels get them, or the format of an image by
 * its numbers in the API, with what a view adds to its descriptor (absent: nobody knows). Code that was compiled for a
 * fact does not read it again.
 *
 * @public
 */
export type ArgumentFact =
  | { readonly kind: "sampler"; readonly bits: number }
  | { readonly kind: "image"; readonly order: number; readonly channelType: number; readonly view?: number };
