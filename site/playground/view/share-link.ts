// SPDX-License-Identifier: Apache-2.0
// Links that hold a program: JSON, deflated, in the characters that a URL's fragment may have.
import type { Passed, Setup } from "../model/setup.ts";

/** What a link holds. */
export interface Shared {
  /** Name of the gallery's entry that it began with; empty: none. */
  readonly entry: string;
  /** Absent: that of the entry. */
  readonly source?: string;
  /** Absent: that of the entry. */
  readonly setup?: Setup;
  /** Parameters that a hand has set. */
  readonly parameters?: Readonly<Record<string, Passed>>;
  readonly view?: { readonly x: number; readonly y: number; readonly scale: number };
}

const PREFIX = "#s=";

async function through(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream): Promise<Uint8Array> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream as unknown as TransformStream<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(piped as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
}

/** The fragment for a program. */
export async function fragmentOf(shared: Shared): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCodePoint(byte);
  return PREFIX + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The program of a fragment; null: it holds none. Throws an Error for one that is damaged. */
export async function sharedOf(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith(PREFIX)) return null;
  try {
    const text = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
    const json = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    return JSON.parse(json) as Shared;
  } catch (error) {
    throw new Error("this link is damaged: part of it may be missing; ask for it again", { cause: error });
  }
}
