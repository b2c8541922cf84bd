// SPDX-License-Identifier: Apache-2.0
// Isolates a page of a host that sends no headers for it: registers the service worker that adds them, and loads the
// page again, once. Where that fails the page stays as it is, with one thread.

/** What became of it. */
export interface Isolation {
  /** True: the page is about to be loaded again, and needs nothing more. */
  readonly isReloading: boolean;
  /** Why the page is not isolated; empty: it is. */
  readonly why: string;
}

/** ms that the service worker may take to start. */
const PATIENCE = 3000;
/** Key of the session's storage: the page was loaded again and was not isolated yet. */
const KEY = "muxkit-isolation";

/** Waits until the service worker can answer for pages. Throws an Error where the browser refuses it. */
async function register(script: string): Promise<void> {
  await navigator.serviceWorker.register(script);
  // Where something blocks service workers, `ready` would never come.
  if ((await navigator.serviceWorker.getRegistration(script)) === undefined) throw new Error("it is blocked");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("it did not start")), PATIENCE);
  });
  try {
    await Promise.race([navigator.serviceWorker.ready, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Isolates the page by a service worker's script; `reloads` is false for pages that use no threads themselves. */
export async function isolate(script: string, reloads: boolean): Promise<Isolation> {
  try {
    if (crossOriginIsolated) {
      sessionStorage.removeItem(KEY);
      return { isReloading: false, why: "" };
    }
    if (!("serviceWorker" in navigator)) throw new Error("there are none in this browser, mode or address");
    await register(script);
    if (!reloads) return { isReloading: false, why: "The page was not loaded again." };
    if (sessionStorage.getItem(KEY) !== null) throw new Error("the page was loaded again without effect");
    sessionStorage.setItem(KEY, "1");
  } catch (error) {
    if (crossOriginIsolated) return { isReloading: false, why: "" };
    const problem = error instanceof Error ? error.message : String(error);
    return {
      isReloading: false,
      why: `The host does not isolate the page, and a service worker, which could, does not work here: ${problem}.`,
    };
  }
  location.reload();
  return { isReloading: true, why: "" };
}
