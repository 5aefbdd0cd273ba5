/** The bytes of a WebAssembly module in, what it exports out. */

export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): void;
}

/** What is used of the global `WebAssembly`, whose types come with those of browsers only. */
interface Engine {
  validate(program: Uint8Array): boolean;
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly given?: Program },
  ) => { readonly exports: unknown };
}

const pageBytes = 64 * 1024;

/** Numbers in, a number out. */
export type Run = (...parameters: readonly number[]) => number;

export interface Program {
  readonly memory: Memory;
  readonly run: Run;
}

/**
 * With the memory and the function of another program, if it is given one. Undefined where WebAssembly or
 * its SIMD is missing.
 */
export function startProgram(program: Uint8Array, given?: Program): Program | undefined {
  const { WebAssembly: engine } = globalThis as unknown as { WebAssembly?: Engine };
  if (engine?.validate(program) !== true) return undefined;
  const { exports } = new engine.Instance(new engine.Module(program), given === undefined ? {} : { given });
  return exports as Program;
}

/** Room for so many bytes. Views of the memory are worth nothing after it has grown. */
export function reserve(memory: Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
}
