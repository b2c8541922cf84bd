// SPDX-License-Identifier: Apache-2.0
// Wheel, drag and pinch on a picture: they move what is looked at, turn a camera, or stir.
import type { Driver, Setup } from "../model/setup.ts";

/** What the pointer has done; the playground passes it to kernels. */
export interface PictureState {
  centre: [number, number];
  scale: number;
  orbit: [number, number];
  /** x, y, dx, dy; empty: nobody touches the picture. */
  pointer: readonly number[];
}

/** The state at the start of a setup. */
export function firstState({ view, orbit }: Setup): PictureState {
  return {
    centre: [view?.x ?? 0, view?.y ?? 0],
    scale: view?.scale ?? 1,
    orbit: [orbit?.[0] ?? 0, orbit?.[1] ?? 0],
    pointer: [],
  };
}

/** True: a kernel asks for what this driver gives. */
export function isDriven({ parameters }: Setup, by: Driver): boolean {
  return Object.values(parameters).some((parameter) => parameter.kind === "driven" && parameter.by === by);
}

const KEY_STEP = 0.15;
const ZOOM = 0.0016;

/** Listens to a canvas; `state` and `setup` say what holds now, `changed` is called when a picture has to be redone. */
export function listenToPicture(
  canvas: HTMLCanvasElement,
  setup: () => Setup | null,
  state: () => PictureState,
  changed: () => void,
): void {
  const down = new Map<number, { x: number; y: number }>();
  const place = (event: MouseEvent): { x: number; y: number } => {
    const box = canvas.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  };
  const aspect = (): number => canvas.width / canvas.height;
  const zoom = (factor: number, at: { readonly x: number; readonly y: number }): void => {
    const now = state();
    const scale = Math.min(8, Math.max(1e-13, now.scale * factor));
    const move = 2 * (now.scale - scale);
    now.centre = [now.centre[0] + move * (at.x - 0.5) * aspect(), now.centre[1] + move * (at.y - 0.5)];
    now.scale = scale;
    changed();
  };
  const drag = (dx: number, dy: number): void => {
    const now = state();
    now.centre = [now.centre[0] - 2 * now.scale * aspect() * dx, now.centre[1] - 2 * now.scale * dy];
    now.orbit = [now.orbit[0] + 4 * dx, Math.min(1.4, Math.max(-1.4, now.orbit[1] + 3 * dy))];
    changed();
  };
  const uses = (by: Driver): boolean => {
    const now = setup();
    return now !== null && isDriven(now, by);
  };
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!uses("scale")) return;
      event.preventDefault();
      zoom(Math.exp(event.deltaY * ZOOM * (event.deltaMode === 1 ? 20 : 1)), place(event));
    },
    { passive: false },
  );
  canvas.addEventListener("pointerdown", (event) => {
    if (!uses("centre") && !uses("orbit") && !uses("pointer")) return;
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, place(event));
    if (uses("pointer")) state().pointer = [place(event).x, place(event).y, 0, 0];
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (before === undefined) return;
    const now = place(event);
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    down.set(event.pointerId, now);
    if (other !== undefined && uses("scale")) {
      const far = (p: { x: number; y: number }): number => Math.hypot((p.x - other.x) * aspect(), p.y - other.y);
      zoom(far(before) / Math.max(1e-3, far(now)), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    } else if (uses("pointer")) state().pointer = [now.x, now.y, now.x - before.x, now.y - before.y];
    else drag(now.x - before.x, now.y - before.y);
  });
  const release = (event: PointerEvent): void => {
    down.delete(event.pointerId);
    state().pointer = [];
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("keydown", (event) => {
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [KEY_STEP, 0],
      ArrowRight: [-KEY_STEP, 0],
      ArrowUp: [0, KEY_STEP],
      ArrowDown: [0, -KEY_STEP],
    };
    const move = moves[event.key];
    if (move !== undefined && (uses("centre") || uses("orbit"))) drag(move[0], move[1]);
    else if ((event.key === "+" || event.key === "-") && uses("scale"))
      zoom(event.key === "+" ? 0.7 : 1 / 0.7, { x: 0.5, y: 0.5 });
    else return;
    event.preventDefault();
  });
}
