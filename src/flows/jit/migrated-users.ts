/**
 * The users whose password is at the service, who are never asked about again: a line a user in a file that only grows.
 * Losing it loses nothing, because the service is asked before a password is checked; it saves these requests.
 */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { TextTable } from '../../compact/text-table.ts';
import { IdportError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { tryParseJson } from '../../lib/json-value.ts';
import { lockJournal, openLocked } from '../../journal/journal.ts';
import { linesOf, mostBytes } from './file-lines.ts';
import type { LineFile } from '../../lib/line-file.ts';

const lineSchema = z.object({
  /** RFC 3339. */
  at: z.string(),
  id: z.string().min(1),
  /** The verifier that knew the password; `service` where the user had one there already. */
  by: z.string(),
});

export type MigratedUser = z.output<typeof lineSchema>;

export interface Migrated {
  has(id: string): Promise<boolean>;
  /** Resolves when it is in the file; a login does not wait until it is on the disk. Never throws. */
  add(user: MigratedUser): Promise<void>;
}

/** After a failure the file is tried again so much later (ms), with the users that came in between. */
const retryAfter = 10_000;
/** More are left out of the file; the service is asked about them. */
const mostWaiting = 10_000;
/** So many users are looked at to see whether a list or a journal is about those of the service. */
export const sampleSize = 5;
/** Of each line. */
const beginning = '{"at":"';

interface MigratedUsersOptions {
  readonly clock: Clock;
  /** The code of the error from which on the file is not written; empty when it is written again. */
  readonly onProblem: (code: string) => void;
  /** Take over the lock of a process in another container or machine at once. */
  readonly steal?: boolean | undefined;
}

/**
 * A file that is not there is made, 0600. Throws where another process writes it. While it cannot be written, logins go
 * on, and the users are known until the process ends.
 */
export async function openMigratedUsers(
  path: string,
  { clock, onProblem, steal = false }: MigratedUsersOptions,
) {
  const lock = lockJournal(path, { steal });
  const ids = createIdSet();
  const first: MigratedUser[] = [];
  let waiting: string[] = [];
  let lines: LineFile | undefined;
  let retryAt: number | undefined;
  const open = async () => {
    const wholeBytes = await readMigratedUsers(path, (user) => {
      ids.add(user.id);
      if (first.length < sampleSize) first.push(user);
    });
    return openLocked(path, wholeBytes, lock);
  };
  const lose = (error: unknown) => {
    const { code } = error as IdportError;
    if (retryAt === undefined) onProblem(code);
    // Another receiver has the file for good.
    retryAt = code === 'journal:lock-lost' ? Infinity : clock.monotonic() + retryAfter;
    const failed = lines;
    lines = undefined;
    try {
      failed?.close();
    } catch {
      // It was said before.
    }
  };
  const write = async () => {
    if (waiting.length === 0 || (retryAt !== undefined && clock.monotonic() < retryAt)) return;
    const batch = waiting;
    waiting = [];
    try {
      const file = (lines ??= await open());
      for (const line of batch) file.add(line);
      await file.written();
      if (retryAt !== undefined) onProblem('');
      retryAt = undefined;
      // Of a file that was given up, the error was told.
      file.synced(() => undefined).catch((error: unknown) => lines === file && lose(error));
    } catch (error) {
      waiting = [...batch, ...waiting].slice(-mostWaiting);
      lose(error);
    }
  };
  let writing = Promise.resolve();
  try {
    lines = await open();
  } catch (error) {
    lock.release();
    throw error;
  }
  return {
    get size() {
      return ids.size;
    },
    /** The first users of the file. */
    first,
    has: async (id: string) => ids.has(id),
    async add(user: MigratedUser) {
      if (ids.has(user.id)) return;
      ids.add(user.id);
      waiting.push(JSON.stringify(user));
      await (writing = writing.then(write));
    },
    async close() {
      try {
        await writing;
        await lines?.idle().catch(lose);
        lines?.close();
      } finally {
        lock.release();
      }
    },
  };
}

/** Resolves to the bytes of whole lines: a last one that was cut short by a kill is not read. Throws for another file. */
export async function readMigratedUsers(path: string, each: (user: MigratedUser) => void): Promise<number> {
  if (!existsSync(path)) return 0;
  const file = await open(path);
  try {
    let bytes = 0;
    const { size } = await file.stat();
    for await (const line of linesOf(file)) {
      const isOther = bytes === 0 && !beginning.startsWith(line.toString('latin1', 0, beginning.length));
      if (isOther || line.length > mostBytes) {
        throw new IdportError(
          'jit:no-journal',
          `${path} is not a journal of jit serve`,
          'Give another --journal; a file that does not exist is created.',
        );
      }
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

export function createIdSet() {
  const table = new TextTable();
  const has = (id: string) => table.find(id) !== -1;
  return {
    get size() {
      return table.size;
    },
    has,
    add(id: string) {
      if (!has(id)) table.add(id);
    },
  };
}
