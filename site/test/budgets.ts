// SPDX-License-Identifier: Apache-2.0
// What a page of the site may cost those who open it.

/** Bytes of a page's first view, compressed by gzip: page, scripts, styles and pictures. */
export const FIRST_VIEW_BYTES: number = 100_000;
/** The same of a long document: all jobs of the measuring suite, or all names of a package. */
export const DOCUMENT_BYTES: number = 115_000;
/** Bytes of the first visit of the playground, compressed by gzip, until its first frame is shown. */
export const PLAYGROUND_BYTES: number = 900_000;
/** ms from the start of loading until all of a page is there. */
export const INTERACTIVE_MS: number = 2000;
/** Cumulative layout shift of a page; what the Web Vitals call good is below 0.1. */
export const LAYOUT_SHIFT: number = 0.02;
