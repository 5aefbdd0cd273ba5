/**
 * The users whose password is at the service, who are never asked about again: a line a user in a file that only grows.
 * Losing it loses nothing, because the service is asked before a password is checked; it saves these requests.
 */
import { closeSync, existsSync, ftruncateSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { KeyMaker, KeyTable, keyWords } from '../../compact/key-table.ts';
import type { IdportError } from '../../errors.ts';
import { tryParseJson } from '../../lib/json-value.ts';
import { lockJournal } from '../../journal/journal.ts';
import { linesOf } from './file-lines.ts';
import { LineFile, unwritable } from '../../journal/line-file.ts';

const lineSchema = z.object({
  /** RFC 3339. */
  at: z.string(),
  id: z.string().min(1),
  /** The verifier that knew the password; `service` where the user had one there already. */
  by: z.string(),
  /** False for a user beside the list, with `--any-user`. */
  listed: z.boolean().optional(),
});

export type MigratedUser = z.output<typeof lineSchema>;

export interface MigratedUsers {
  readonly size: number;
  has(id: string): Promise<boolean>;
  /** Resolves when it is in the file; a login does not wait until it is on the disk. Never throws. */
  add(user: MigratedUser): Promise<void>;
  close(): Promise<void>;
}

/**
 * A file that is not there is made, 0600. Throws where another process writes it. `onLost` gets the code of the error
 * from which on the file is not written any more: logins go on, and the users are known until the process ends. With
 * `steal`, the lock of a process in another container or machine is taken over at once.
 */
export async function openMigratedUsers(
  path: string,
  onLost: (code: string) => void,
  steal = false,
): Promise<MigratedUsers> {
  const lock = lockJournal(path, { steal });
  let file: number | undefined;
  try {
    const ids = new IdSet();
    const wholeBytes = await readMigratedUsers(path, ({ id }) => ids.add(id));
    file = openForAppending(path);
    ftruncateSync(file, wholeBytes);
    const lines = new LineFile(path, file, { at: wholeBytes, lock });
    let isLost = false;
    const lose = (error: unknown): void => {
      if (!isLost) onLost((error as IdportError).code);
      isLost = true;
    };
    return {
      get size() {
        return ids.size;
      },
      has: async (id) => ids.has(id),
      async add(user) {
        if (ids.has(user.id)) return;
        ids.add(user.id);
        if (isLost) return;
        try {
          lines.add(JSON.stringify(user));
          await lines.written();
          lines.synced(() => undefined).catch(lose);
        } catch (error) {
          lose(error);
        }
      },
      async close() {
        try {
          await lines.idle().catch(lose);
          lines.close();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    if (file !== undefined) closeSync(file);
    lock.release();
    throw error;
  }
}

/** Resolves to the bytes of whole lines: a last one that was cut short by a kill is not read. */
export async function readMigratedUsers(path: string, each: (user: MigratedUser) => void): Promise<number> {
  if (!existsSync(path)) return 0;
  const file = await open(path);
  try {
    let bytes = 0;
    const { size } = await file.stat();
    for await (const line of linesOf(file)) {
      if (bytes + line.length === size) break;
      bytes += line.length + 1;
      const user = lineSchema.safeParse(tryParseJson(line.toString('utf8'))).data;
      if (user !== undefined) each(user);
    }
    return bytes;
  } finally {
    await file.close();
  }
}

function openForAppending(path: string): number {
  try {
    return openSync(path, existsSync(path) ? 'r+' : 'wx', 0o600);
  } catch (error) {
    throw unwritable(path, error);
  }
}

export class IdSet {
  readonly #table = new KeyTable(1);
  readonly #keys = new KeyMaker();
  readonly #words = new Uint32Array(keyWords);

  get size(): number {
    return this.#table.size;
  }

  has(id: string): boolean {
    this.#keys.ofText('', id, this.#words, 0);
    return this.#table.find(this.#words, 0) !== -1;
  }

  add(id: string): void {
    if (!this.has(id)) this.#table.add(this.#words, 0);
  }
}
