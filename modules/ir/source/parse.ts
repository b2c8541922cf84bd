// SPDX-License-Identifier: Apache-2.0
// Parser of the text form (docs/ir.md has the grammar): recursive descent over modules, globals, functions and kernels.
// References to later definitions are patched: values and blocks at the end of their function, functions and globals at
// the end of the module. print.ts writes the same module back.
import { ARGUMENT_KINDS } from "@muxkit/kernel-abi";
import { KERNEL_ENTRY, workItemConvention } from "./calling-convention.ts";
import { type Result, err, ok } from "@muxkit/cargo";

import type { DataLayout } from "./data-layout.ts";
import { type Block, Global, type InlineHint, IrFunction, Module, UNROLL_FULLY } from "./function.ts";
import type { ArgumentDescription, KernelDescription } from "./kernel.ts";
import { Lexer, type ParseError } from "./lex.ts";
import { FunctionScope, type ModuleScope, parseInstruction } from "./parse-instruction.ts";
import { literalConstant, parseAddressSpace, parseLiteral, parseType } from "./parse-type.ts";
import { type Type, VOID } from "./type.ts";
import type { Constant } from "./value.ts";

type MutableKernel = { -readonly [K in keyof KernelDescription]: KernelDescription[K] };

const ARGUMENT_SPACES: readonly ArgumentDescription["addressSpace"][] = ["private", "global", "constant", "local"];
const ACCESSES: readonly ArgumentDescription["access"][] = ["read_only", "write_only", "read_write"];
/** Most zero bytes of all globals together: a short text must not allocate all memory. */
const MOST_ZEROS = 1 << 28;

function parseLayout(lexer: Lexer): DataLayout {
  lexer.expect("word", "pointers");
  const pointerBytes: number[] = [];
  do pointerBytes.push(lexer.integer("the bytes of a pointer", 1, 8));
  while (lexer.kind === "number");
  lexer.expect("word", "size_t");
  const sizeBits = lexer.integer("the bits of size_t", 32, 64);
  return {
    pointerBytes,
    sizeBits,
    littleEndian: !lexer.accept("word", "big_endian"),
    nativeF16: lexer.accept("word", "f16"),
    nativeF64: !lexer.accept("word", "no_f64"),
    nativeI64: !lexer.accept("word", "no_i64"),
  };
}

class ModuleParser {
  private readonly lexer: Lexer;
  private readonly pending: (() => void)[] = [];
  private readonly scope: ModuleScope;
  private zerosLeft = MOST_ZEROS;
  readonly module: Module;

  constructor(lexer: Lexer) {
    this.lexer = lexer;
    lexer.expect("word", "module");
    this.module = new Module(lexer.take("text", "the name of the module in quotes"), parseLayout(lexer));
    this.scope = {
      globals: this.module.globals,
      functions: this.module.functions,
      later: (run) => {
        this.pending.push(run);
      },
    };
  }

  run(): void {
    const { lexer } = this;
    while (lexer.kind !== "end") {
      if (lexer.accept("word", "global")) this.global();
      else if (lexer.accept("word", "func")) this.function(null);
      else if (lexer.accept("word", "kernel"))
        this.function({
          arguments: [],
          requiredWorkGroupSize: null,
          workGroupSizeHint: null,
          vecTypeHint: null,
          requiredSubGroupSize: null,
          uniformWorkGroups: true,
          attributes: "",
        });
      else lexer.expected("`global`, `func` or `kernel`");
    }
    for (const run of this.pending) run();
  }

  private global(): void {
    const { lexer, module } = this;
    const { start } = lexer;
    const name = lexer.take("symbol", "`@` and the name of a global");
    lexer.expect("mark", ":");
    const type = parseType(lexer);
    const space = parseAddressSpace(lexer);
    lexer.expect("word", "align");
    const made = new Global(name, type, space, lexer.integer("an alignment", 1));
    if (lexer.accept("word", "internal")) made.linkage = "internal";
    else if (lexer.accept("word", "declaration")) made.linkage = "declaration";
    if (lexer.accept("mark", "=")) {
      if (lexer.accept("word", "zero")) made.initializer = this.zeros();
      else made.initializer = this.bytes();
    }
    while (lexer.accept("word", "reloc")) this.relocation(made);
    if (lexer.error !== null) return;
    if (module.globals.has(name)) lexer.fail(`@${name} is defined twice`, start);
    else module.addGlobal(made);
  }

  private zeros(): Uint8Array {
    const length = this.lexer.integer("a number of bytes", 0, this.zerosLeft);
    this.zerosLeft -= length;
    return new Uint8Array(length);
  }

  private bytes(): Uint8Array {
    const { lexer } = this;
    const { start } = lexer;
    const digits = lexer.take("bytes", '`zero` or bytes as x"…"');
    if (digits.length % 2 !== 0) lexer.fail("an even number of digits expected", start);
    const bytes = new Uint8Array(digits.length >> 1);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
    return bytes;
  }

  private relocation(made: Global): void {
    const { lexer, module } = this;
    const offset = lexer.integer("an offset");
    const { start } = lexer;
    const name = lexer.take("symbol", "`@` and the name of a global");
    const addend =
      lexer.kind === "number"
        ? lexer.integer("a number of bytes", -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
        : 0;
    this.scope.later(() => {
      const target = module.globals.get(name);
      if (target === undefined) lexer.fail(`there is no global @${name} in this module`, start);
      else made.relocations.push({ offset, target, addend });
    });
  }

  private function(kernel: MutableKernel | null): void {
    const { lexer, module } = this;
    const { start } = lexer;
    const name = lexer.take("symbol", "`@` and the name of a function");
    const scope = new FunctionScope(lexer);
    const parameters: { name: string; type: Type; start: number }[] = [];
    lexer.list("(", ")", () => parameters.push(this.typed()));
    const returnType = lexer.accept("mark", "->") ? parseType(lexer) : VOID;
    const made = new IrFunction(
      name,
      returnType,
      parameters.map(({ name: own, type }) => ({ type, name: plainName(own) })),
    );
    made.parameters.forEach((parameter, i) => {
      const own = parameters[i];
      if (own !== undefined) scope.define(own.name, parameter, own.start);
    });
    if (lexer.accept("word", "inline"))
      made.inline = lexer.oneOf<InlineHint>(["always", "never"], "`always` or `never`") ?? "none";
    made.isInternal = lexer.accept("word", "internal");
    made.isOutside = lexer.accept("word", "outside");
    if (lexer.accept("word", "work_item"))
      made.convention = workItemConvention(
        this.inParentheses(() => lexer.integer("the position of the first work-item parameter", 0)),
      );
    else if (lexer.accept("word", "kernel_entry")) made.convention = KERNEL_ENTRY;
    if (kernel !== null) {
      made.kernel = kernel;
      this.kernelAttributes(kernel);
    }
    if (lexer.accept("mark", "{")) this.body(made, kernel, scope);
    if (lexer.error !== null) return;
    if (module.functions.has(name)) lexer.fail(`@${name} is defined twice`, start);
    else module.addFunction(made);
  }

  /** `%name: type` */
  private typed(): { name: string; type: Type; start: number } {
    const { lexer } = this;
    const { start } = lexer;
    const name = lexer.take("value", "`%` and the name of a parameter");
    lexer.expect("mark", ":");
    return { name, type: parseType(lexer), start };
  }

  private triple(): readonly [number, number, number] {
    const { lexer } = this;
    lexer.expect("mark", "(");
    const x = lexer.integer("a size", 1);
    lexer.expect("mark", ",");
    const y = lexer.integer("a size", 1);
    lexer.expect("mark", ",");
    const z = lexer.integer("a size", 1);
    lexer.expect("mark", ")");
    return [x, y, z];
  }

  private inParentheses<T>(read: () => T): T {
    this.lexer.expect("mark", "(");
    const value = read();
    this.lexer.expect("mark", ")");
    return value;
  }

  private kernelAttributes(kernel: MutableKernel): void {
    const { lexer } = this;
    const text = (): string => lexer.take("text", "a string in quotes");
    if (lexer.accept("word", "reqd_work_group_size")) kernel.requiredWorkGroupSize = this.triple();
    if (lexer.accept("word", "work_group_size_hint")) kernel.workGroupSizeHint = this.triple();
    if (lexer.accept("word", "vec_type_hint")) kernel.vecTypeHint = this.inParentheses(text);
    if (lexer.accept("word", "sub_group_size"))
      kernel.requiredSubGroupSize = this.inParentheses(() => lexer.integer("a size", 1));
    if (lexer.accept("word", "non_uniform_work_groups")) kernel.uniformWorkGroups = false;
    if (lexer.accept("word", "attributes")) kernel.attributes = this.inParentheses(text);
  }

  private argument(): ArgumentDescription {
    const { lexer } = this;
    const name = lexer.take("text", "the name of an argument in quotes");
    const typeName = lexer.take("text", "the type of an argument in quotes");
    const kind = lexer.oneOf(ARGUMENT_KINDS, ARGUMENT_KINDS.join(" or ")) ?? "value";
    const addressSpace = lexer.oneOf(ARGUMENT_SPACES, ARGUMENT_SPACES.join(" or ")) ?? "private";
    const access = lexer.kind === "word" ? (ACCESSES.find((word) => lexer.accept("word", word)) ?? "none") : "none";
    const isConst = lexer.accept("word", "const");
    const isRestrict = lexer.accept("word", "restrict");
    const isVolatile = lexer.accept("word", "volatile");
    lexer.expect("word", "size");
    const size = lexer.integer("a size");
    lexer.expect("word", "align");
    return {
      name,
      typeName,
      kind,
      addressSpace,
      access,
      isConst,
      isRestrict,
      isVolatile,
      size,
      alignment: lexer.integer("an alignment"),
    };
  }

  private body(made: IrFunction, kernel: MutableKernel | null, scope: FunctionScope): void {
    const { lexer } = this;
    const described: ArgumentDescription[] = [];
    if (kernel !== null) {
      while (lexer.accept("word", "argument")) described.push(this.argument());
      kernel.arguments = described;
    }
    let block: Block | null = null;
    while (lexer.error === null && !lexer.accept("mark", "}")) {
      if (lexer.kind === "block") block = this.block(made, scope);
      else if (block === null) lexer.expected("a block");
      else parseInstruction(lexer, scope, this.scope, block);
    }
    scope.finish();
  }

  private block(made: IrFunction, scope: FunctionScope): Block {
    const { lexer } = this;
    const { start } = lexer;
    const name = lexer.take("block", "a block");
    if (scope.blocks.has(name)) lexer.fail(`^${name} is defined twice`, start);
    const block = made.addBlock(plainName(name));
    scope.blocks.set(name, block);
    if (lexer.at("mark", "(")) {
      lexer.list("(", ")", () => {
        const { name: own, type, start: at } = this.typed();
        scope.define(own, block.addParameter(type, plainName(own)), at);
      });
    }
    if (lexer.accept("word", "unroll"))
      block.unroll = lexer.accept("word", "full") ? UNROLL_FULLY : lexer.integer("how often", 1, UNROLL_FULLY);
    lexer.expect("mark", ":");
    return block;
  }
}

/** The name of a value or block; numbers are not kept as names. */
function plainName(name: string): string {
  return /^\d/u.test(name) ? "" : name;
}

/**
 * Reads a module's text form. `;` begins a comment. The module is well-formed as a graph; {@link verifyModule} checks
 * the rest.
 *
 * @public
 */
export function parseModule(text: string): Result<Module, ParseError> {
  const lexer = new Lexer(text);
  const parser = new ModuleParser(lexer);
  parser.run();
  return lexer.error === null ? ok(parser.module) : err(lexer.error);
}

/**
 * Reads a constant of a type as {@link printConstant} writes it: `-1`, `0.5`, `0x7fc00000`, `null`, `<1, 2>`,
 * `splat(0)`.
 *
 * @public
 */
export function parseConstant(text: string, type: Type): Result<Constant, ParseError> {
  const lexer = new Lexer(text);
  const constant = literalConstant(lexer, parseLiteral(lexer), type);
  if (lexer.kind !== "end") lexer.expected("the end");
  return lexer.error === null ? ok(constant) : err(lexer.error);
}

/** A {@link ParseError} as one line. @public */
export function describeParseError({ line, column, message }: ParseError): string {
  return `${line}:${column}: ${message}`;
}
