// SPDX-License-Identifier: Apache-2.0
// What a launch needs of images among its arguments. Programs without images have nothing else of them.
import type { ImageParameter } from "@muxkit/kernel-library";
import type { MuxImage, MuxSampler } from "@muxkit/mux";

import type { DeviceAccessor } from "./accessor.ts";
import type { Held } from "./event.ts";
import type { RuntimeDevice, Storage } from "./runtime-device.ts";

/** An image of the runtime, in the storage that it is in. */
export class BoundImage implements Held {
  readonly image: MuxImage;
  readonly storage: Storage;

  constructor(image: MuxImage, storage: Storage) {
    this.image = image;
    this.storage = storage;
  }

  /** A command needs it. */
  use(): void {
    this.storage.use();
  }

  /** The end of a use. */
  unuse(): void {
    this.storage.unuse();
  }
}

/** A sampler, as arguments are compared. */
export class BoundSampler {
  readonly sampler: MuxSampler;

  constructor(sampler: MuxSampler) {
    this.sampler = sampler;
  }
}

/** An accessor of an image, as launches know it. @public */
export abstract class AccessedImage {
  /** The bytes. @internal */
  abstract readonly bytes: DeviceAccessor;
  /** Its sampler. @internal */
  abstract get sampler(): BoundSampler | null;
  /** The image on a device. @internal */
  abstract bind(call: string, runtime: RuntimeDevice): BoundImage;
  /** Throws where a kernel's image is of another kind. Error: kernel_argument. @internal */
  abstract check(call: string, parameter: ImageParameter): void;
}
