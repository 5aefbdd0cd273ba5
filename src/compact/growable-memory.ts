/**
 * Memory that grows in place, filled with zeros: nothing is copied and no garbage is left, while replacing a typed
 * array by larger ones costs twice its size. This is a WebAssembly memory; without WebAssembly it falls back to copies.
 */
export interface GrowableMemory {
  /** Grows to this many bytes. A `buffer` read before cannot be used any more. */
  grow(bytes: number): void;
  readonly buffer: ArrayBuffer;
}

interface EngineMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface Engine {
  readonly Memory: new (limits: { initial: number; maximum: number }) => EngineMemory;
}

const pageBytes = 64 * 1024;
/** 4 GiB of address space is reserved; memory is taken only for what is in use. */
const maxPages = 65_536;

export function createGrowableMemory(): GrowableMemory {
  const memory = createEngineMemory();
  return memory === undefined ? createCopiedMemory() : createPagedMemory(memory);
}

/** The fallback: needs the old and the new buffer at once while it grows. */
export function createCopiedMemory(): GrowableMemory {
  let buffer = new ArrayBuffer(0);
  return {
    grow(bytes) {
      const wider = new ArrayBuffer(bytes);
      new Uint8Array(wider).set(new Uint8Array(buffer));
      buffer = wider;
    },
    get buffer() {
      return buffer;
    },
  };
}

function createPagedMemory(memory: EngineMemory): GrowableMemory {
  return {
    grow(bytes) {
      const missing = Math.ceil((bytes - memory.buffer.byteLength) / pageBytes);
      if (missing > 0) memory.grow(missing);
    },
    get buffer() {
      return memory.buffer;
    },
  };
}

/** Undefined when WebAssembly is disabled or the address space is not available. */
function createEngineMemory(): EngineMemory | undefined {
  const { WebAssembly: engine } = globalThis as unknown as { WebAssembly?: Engine };
  try {
    return engine && new engine.Memory({ initial: 0, maximum: maxPages });
  } catch {
    return undefined;
  }
}
