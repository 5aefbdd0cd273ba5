/**
 * An open file and how much was written to it in; bytes on their way to the disk while the run goes on out, so that the
 * last sync finds little left to do.
 */
import { fdatasync } from 'node:fs';

/** Rarely enough that the disk has something to do at a time. */
const stepBytes = 16 * 1024 * 1024;

type StartSync = (file: number, done: (error: Error | null) => void) => void;

export class WriteBack {
  readonly #file: number;
  readonly #startSync: StartSync;
  #waiting = 0;
  #underWay: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(file: number, startSync: StartSync = fdatasync) {
    this.#file = file;
    this.#startSync = startSync;
  }

  /** So many bytes more. Throws where an earlier sync has failed: the system tells of an error only once. */
  wrote(bytes: number): void {
    this.#check();
    this.#waiting += bytes;
    if (this.#waiting < stepBytes || this.#underWay !== undefined) return;
    this.#waiting = 0;
    this.#underWay = new Promise((resolve) => {
      this.#startSync(this.#file, (error) => {
        this.#failure ??= error ?? undefined;
        this.#underWay = undefined;
        resolve();
      });
    });
  }

  /** To be called before the file is closed. Throws where any sync has failed. */
  async finish(): Promise<void> {
    await this.#underWay;
    this.#check();
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
