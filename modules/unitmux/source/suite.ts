// SPDX-License-Identifier: Apache-2.0
// The cases: of each entry point its success, and each error of its rules and checks.
import { type MuxAllocatorInfo, MuxResult } from "@muxkit/mux";

import { BEHAVIOURS } from "./behaviours.ts";
import { Shared, codeName, entryPointOf, lacksFeature, validCall } from "./calls.ts";
import { type UnitMuxCase, type UnitMuxSetup, verify } from "./case.ts";
import { type Arguments, CHECK_ERRORS, FEATURE_CHECKS } from "./check-errors.ts";
import type { EntryPointRules, ParameterRules } from "./entry-point-rules.ts";
import { ENTRY_POINTS } from "./generated/entry-points.ts";
import { refusalCases } from "./refusal-cases.ts";
import { REFUSING, RULE_ERRORS, wrongTypes } from "./rule-errors.ts";
import { type ValidCall, featureOf, hasFeature } from "./valid-calls.ts";
import type { World } from "./world.ts";

/**
 * Calls with wrong arguments: the answer must be the code, about the argument when one is named, and nothing may have
 * happened.
 */
function expectError(name: string, args: readonly unknown[], code: MuxResult, argument: string | null): void {
  const result = entryPointOf(name)(...args);
  verify(!result.ok, `${name} accepts it; ${codeName(code)} is right`);
  verify(
    result.error.code === code,
    `${name} answers ${result.error.name} (${result.error.message}); ${codeName(code)} is right`,
  );
  verify(
    argument === null || result.error.argument === argument,
    `${name} blames "${result.error.argument}"; "${argument}" is wrong`,
  );
  verify(result.error.entryPoint === name && result.error.message.startsWith(name), `the error names ${name}`);
}

/** Parameters that need an image come after the others where a device has none. */
function needsImage({ type }: ParameterRules): boolean {
  return type === "MuxImage";
}

/** A right call, or on a device without images one that is right up to the image. */
function callWithout(world: World, entry: EntryPointRules): ValidCall {
  if (world.info.imageSupport || !entry.parameters.some(needsImage)) return validCall(world, entry.name);
  return {
    args: entry.parameters.map(({ type }) => {
      if (type === "MuxDevice") return world.device;
      if (type === "MuxCommandBuffer") return world.commandBuffer();
      if (type === "MuxBuffer") return world.buffer();
      return type === "MuxMemory" ? world.memory() : null;
    }),
  };
}

function withArgument(args: readonly unknown[], index: number, value: unknown): readonly unknown[] {
  return args.map((argument, i) => (i === index ? value : argument));
}

function successCase(shared: Shared, { name }: EntryPointRules): UnitMuxCase {
  const run = (): void => {
    const { world } = shared;
    const feature = featureOf(name);
    if (feature !== null && !hasFeature(world, feature)) {
      // Only what needs no object of the feature can be called.
      if (feature === "images" && name !== "muxCreateImage" && name !== "muxGetSupportedImageFormats") return;
      expectError(name, validCall(world, name).args, MuxResult.error_feature_unsupported, null);
      return;
    }
    const { args, look, end } = validCall(world, name);
    const result = entryPointOf(name)(...args);
    verify(result.ok, result.ok ? "" : `${name} answers ${result.error.name}: ${result.error.message}`);
    look?.(result.value);
    end?.();
  };
  return { entryPoint: name, name: "does what it documents", tests: "success", run };
}

function ruleCases(shared: Shared, entry: EntryPointRules): UnitMuxCase[] {
  return entry.parameters.flatMap((parameter, index) =>
    parameter.rules.flatMap((rule) => {
      const [word = ""] = rule.split(":");
      const values = RULE_ERRORS[word];
      verify(values !== undefined, `the suite has the rule "${rule}" of ${entry.name}`);
      return values(parameter).map(({ name, make, code = MuxResult.error_invalid_value }): UnitMuxCase => ({
        entryPoint: entry.name,
        name: `${parameter.name}: ${name}`,
        tests: rule,
        run: () => {
          const { world } = shared;
          // Without images there is no image that could be wrong in a way of its own.
          const firstImage = entry.parameters.findIndex(needsImage);
          if (
            !world.info.imageSupport &&
            firstImage >= 0 &&
            (index > firstImage || (index === firstImage && !(word === "handle" && name !== "destroyed")))
          )
            return;
          const { args, end } = callWithout(world, entry);
          const value = make(world, args[index], args);
          if (value === null) return;
          expectError(entry.name, withArgument(args, index, value.value), code, parameter.name);
          value.end?.();
          end?.();
        },
      }));
    }),
  );
}

function checkCases(shared: Shared, entry: EntryPointRules): UnitMuxCase[] {
  return entry.checks
    .filter((check) => !FEATURE_CHECKS.includes(check))
    .flatMap((check) => {
      const calls = CHECK_ERRORS[check];
      verify(calls !== undefined, `the suite has the check "${check}" of ${entry.name}`);
      return calls.map(({ name, change, code = MuxResult.error_invalid_value }): UnitMuxCase => ({
        entryPoint: entry.name,
        name,
        tests: check,
        run: () => {
          const { world } = shared;
          if (lacksFeature(world, entry.name)) return;
          const { args, end } = validCall(world, entry.name);
          const named: Arguments = Object.fromEntries(
            entry.parameters.map((parameter, i) => [parameter.name, args[i]]),
          );
          const changed: Arguments = { ...named, ...change(named, world) };
          expectError(
            entry.name,
            entry.parameters.map((parameter) => changed[parameter.name]),
            code,
            null,
          );
          end?.();
        },
      }));
    });
}

/** Values of wrong types: each is refused, and nothing is thrown. */
function typeCases(shared: Shared, entry: EntryPointRules): UnitMuxCase[] {
  return entry.parameters.flatMap((parameter, index) =>
    wrongTypes(parameter).map(({ name, make }): UnitMuxCase => ({
      entryPoint: entry.name,
      name: `${parameter.name}: ${name}, a wrong type`,
      tests: "types",
      run: () => {
        const { world } = shared;
        const { args, end } = callWithout(world, entry);
        const result = entryPointOf(entry.name)(...withArgument(args, index, make(world, args[index], args)?.value));
        verify(!result.ok, `${entry.name} accepts it`);
        verify(
          result.error.entryPoint === entry.name && result.error.message.startsWith(entry.name),
          `the error names ${entry.name}`,
        );
        end?.();
      },
    })),
  );
}

/** What a device without a feature answers; one with it has nothing to show here. */
function featureCases(shared: Shared, entry: EntryPointRules): UnitMuxCase[] {
  return entry.checks
    .filter((check) => FEATURE_CHECKS.includes(check))
    .map((check): UnitMuxCase => ({
      entryPoint: entry.name,
      name: "a device that lacks the feature",
      tests: check,
      run: () => {
        const { world } = shared;
        const feature = featureOf(entry.name);
        verify(feature !== null, `the suite has the feature that ${entry.name} needs`);
        if (!hasFeature(world, feature))
          expectError(entry.name, validCall(world, entry.name).args, MuxResult.error_feature_unsupported, null);
      },
    }));
}

function behaviourCases(shared: Shared, entry: EntryPointRules): UnitMuxCase[] {
  return BEHAVIOURS.filter(({ entryPoint }) => entryPoint === entry.name).map(({ name, run }): UnitMuxCase => ({
    entryPoint: entry.name,
    name,
    tests: "behaviour",
    run: () => {
      const { world } = shared;
      if (!lacksFeature(world, entry.name)) run(world);
    },
  }));
}

/**
 * What makes an object calls the allocator first, and frees those bytes when no object is made; what destroys an object
 * frees as many.
 */
function allocatorCases(shared: Shared, entry: EntryPointRules): UnitMuxCase[] {
  const index = entry.parameters.findIndex(({ rules }) => rules.includes("allocator"));
  if (index < 0) return [];
  const caseOf = (name: string, run: (world: World) => void): UnitMuxCase => ({
    entryPoint: entry.name,
    name,
    tests: "allocator",
    run: () => {
      const { world } = shared;
      if (!lacksFeature(world, entry.name)) run(world);
    },
  });
  const balance = (world: World): number => {
    let bytes = 0;
    const counting: MuxAllocatorInfo = {
      allocate: (more) => {
        bytes += more;
        return true;
      },
      free: (less) => {
        bytes -= less;
      },
    };
    const { args, end } = validCall(world, entry.name);
    const result = entryPointOf(entry.name)(...withArgument(args, index, counting));
    verify(result.ok, result.ok ? "" : `${entry.name} answers ${result.error.name}: ${result.error.message}`);
    end?.();
    return bytes;
  };
  if (entry.destroys !== undefined)
    return [
      caseOf("frees through the allocator", (world) => {
        verify(balance(world) < 0, "the allocator gets bytes back");
      }),
    ];
  return [
    caseOf("allocates through the allocator", (world) => {
      verify(balance(world) > 0, "bytes are allocated");
    }),
    caseOf("an allocator that refuses", (world) => {
      expectError(
        entry.name,
        withArgument(validCall(world, entry.name).args, index, REFUSING),
        MuxResult.error_out_of_memory,
        "allocatorInfo",
      );
    }),
  ];
}

/** All cases for a target. They share one open device and run in any order. @public */
export function unitMuxCases(setup: UnitMuxSetup): readonly UnitMuxCase[] {
  const shared = new Shared(setup);
  return ENTRY_POINTS.flatMap((entry) => [
    successCase(shared, entry),
    ...ruleCases(shared, entry),
    ...typeCases(shared, entry),
    ...checkCases(shared, entry),
    ...featureCases(shared, entry),
    ...allocatorCases(shared, entry),
    ...refusalCases(shared, entry),
    ...behaviourCases(shared, entry),
  ]);
}
