// SPDX-License-Identifier: Apache-2.0
// What a finished module must declare: a walk over its operands, as the grammar's rows say what each needs.
//
// A row that needs one of several capabilities takes one that is declared or implied already, else the target's own,
// else its first. What a version has and an extension too, the extension brings, so that the version stays as low as
// it can. Linear in the words.
import { OperandCursor } from "../binary/cursor.ts";
import type { SpirvModule } from "../binary/module.ts";
import { type Availability, enumerant, enumeration, enumerationOfKind, opRow } from "../grammar/tables.ts";

/** What a module declares. */
export interface Requirements {
  readonly capabilities: readonly number[];
  readonly extensions: readonly string[];
  /** As the header says it. */
  readonly version: number;
}

const CAPABILITIES = enumeration("Capability");
const OWN = { kernel: enumerant("Capability", "Kernel"), shader: enumerant("Capability", "Shader") };

class Collector {
  readonly declared = new Set<number>();
  readonly extensions: Set<string>;
  version: number;
  private readonly own: number;
  private readonly implied = new Set<number>();
  private readonly seen = new Set<Availability>();

  constructor(version: number, own: number, extensions: Iterable<string>) {
    this.version = version;
    this.own = own;
    this.extensions = new Set(extensions);
  }

  /** Declares a capability, with what it needs itself. */
  declare(capability: number): void {
    if (this.declared.has(capability)) return;
    this.declared.add(capability);
    const open = [capability];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (this.implied.has(one)) continue;
      this.implied.add(one);
      const row = CAPABILITIES.byValue.get(one);
      if (row === undefined) continue;
      if (one === capability) this.bring(row);
      open.push(...row.capabilities);
    }
  }

  /** Takes the version or the extension that something comes with. */
  private bring({ since, extensions }: Availability): void {
    if (since <= this.version) return;
    const [extension] = extensions;
    if (extension !== undefined) this.extensions.add(extension);
    else if (since !== Infinity) this.version = since;
  }

  use(row: Availability | undefined): void {
    if (row === undefined || this.seen.has(row)) return;
    this.seen.add(row);
    const { capabilities } = row;
    const [first] = capabilities;
    if (first !== undefined && !capabilities.some((one) => this.implied.has(one)))
      this.declare(capabilities.includes(this.own) ? this.own : first);
    // What a capability brings needs no version: the capability has it.
    if (first === undefined || row.extensions.length === 0) this.bring(row);
  }
}

/** What a module must declare. `given`: what follows from types; `version`: the least that is wanted. */
export function requirementsOf(
  module: SpirvModule,
  target: "kernel" | "shader",
  given: Iterable<number>,
  extensions: Iterable<string>,
  version: number,
): Requirements {
  const collector = new Collector(version, OWN[target], extensions);
  collector.declare(OWN[target]);
  for (const capability of given) collector.declare(capability);
  const cursor = new OperandCursor(module);
  for (let index = 0; index < module.count; index++) {
    collector.use(opRow(module.opcodes[index] ?? 0));
    cursor.begin(index);
    while (cursor.next()) {
      const of = enumerationOfKind(cursor.kind);
      if (of === undefined) continue;
      if (!of.isMask || cursor.value === 0) collector.use(of.byValue.get(cursor.value));
      else
        for (let rest = cursor.value; rest !== 0; rest = (rest & (rest - 1)) >>> 0)
          collector.use(of.byValue.get((rest & -rest) >>> 0));
    }
  }
  return {
    capabilities: [...collector.declared].toSorted((a, b) => a - b),
    extensions: [...collector.extensions].toSorted(),
    version: collector.version,
  };
}
