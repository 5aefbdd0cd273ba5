/**
 * Memory that grows in place, zeros at its end: no copy, and nothing left over for the garbage collector, which is
 * what makes a typed array that is replaced by larger ones cost twice its size. It is WebAssembly's memory, used for
 * its way of growing; where there is none, a larger array and a copy.
 */
export interface GrowableMemory {
  /** Makes it so many bytes long. What was got from `buffer` before cannot be used any more. */
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
/** 4 GiB: address space is set aside for all of it, memory only for what is in use. */
const mostPages = 65_536;

export function createGrowableMemory(): GrowableMemory {
  const memory = createEngineMemory();
  return memory === undefined ? createCopiedMemory() : createPagedMemory(memory);
}

/** As a fallback: for a moment the old and the new bytes are both there. */
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

/** Undefined where WebAssembly is switched off, or where so much address space cannot be had. */
function createEngineMemory(): EngineMemory | undefined {
  const { WebAssembly: engine } = globalThis as unknown as { WebAssembly?: Engine };
  try {
    return engine && new engine.Memory({ initial: 0, maximum: mostPages });
  } catch {
    return undefined;
  }
}
