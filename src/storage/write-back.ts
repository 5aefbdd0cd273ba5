/** Syncs a file to the disk in the background while it is written, so that the last sync has little left to do. */
import { fdatasync } from 'node:fs';

/** Bytes between two syncs: enough for the disk to work efficiently. */
const stepBytes = 16 * 1024 * 1024;

type StartSync = (file: number, done: (error: Error | null) => void) => void;

export class WriteBack {
  readonly #file: number;
  readonly #startSync: StartSync;
  #unsynced = 0;
  #underWay: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(file: number, startSync: StartSync = fdatasync) {
    this.#file = file;
    this.#startSync = startSync;
  }

  /** Counts written bytes. Throws when an earlier sync has failed, because the system reports an error only once. */
  wrote(bytes: number): void {
    this.#check();
    this.#unsynced += bytes;
    if (this.#unsynced < stepBytes || this.#underWay !== undefined) return;
    this.#unsynced = 0;
    this.#underWay = new Promise((resolve) => {
      this.#startSync(this.#file, (error) => {
        this.#failure ??= error ?? undefined;
        this.#underWay = undefined;
        resolve();
      });
    });
  }

  /** To be called before the file is closed. Throws when any sync has failed. */
  async finish(): Promise<void> {
    await this.#underWay;
    this.#check();
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
