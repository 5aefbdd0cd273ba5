/**
 * Journal of users whose password is at the service: an append-only file with a line per user. It saves requests. Losing it
 * loses no user, because the service is asked before a password is checked.
 */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { TextTable } from '../../compact/key-table.ts';
import { IdportError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { tryParseJson } from '../../lib/json-value.ts';
import { lockJournal, openLocked } from '../../journal/journal.ts';
import { linesOf, mostBytes } from './user-list.ts';
import type { LineFile } from '../../lib/line-file.ts';

const lineSchema = z.object({
  /** RFC 3339. */
  at: z.string(),
  id: z.string().min(1),
  /** Name of the verifier that accepted the password, or `service` if the user already had one there. */
  by: z.string(),
});

export type MigratedUser = z.output<typeof lineSchema>;

export interface Migrated {
  has(id: string): Promise<boolean>;
  /** Resolves when the line is written, before it is synced to disk. Never throws. */
  add(user: MigratedUser): Promise<void>;
}

/** Time (ms) after a failure until the file is tried again, together with users added meanwhile. */
const retryAfter = 10_000;
/** Most users kept for that. Older ones are left out of the file, and the service is asked about them. */
const mostWaiting = 10_000;
/** Number of users to compare with the service, to see whether a list or a journal belongs to it. */
export const sampleSize = 5;
/** First bytes of every line. */
const beginning = '{"at":"';

interface MigratedUsersOptions {
  readonly clock: Clock;
  /** Receives the error code when the file can no longer be written, and an empty text when it can be again. */
  readonly onProblem: (code: string) => void;
  /** Takes over the lock of a process in another container or on another machine at once. */
  readonly steal?: boolean | undefined;
}

/**
 * Opens the journal, or creates it with mode 0600. Throws if another process writes it. If it cannot be written, logins go
 * on and the users are remembered until the process ends.
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
    // Another receiver has taken over the file, so do not retry.
    retryAt = code === 'journal:lock-lost' ? Infinity : clock.monotonic() + retryAfter;
    const failed = lines;
    lines = undefined;
    try {
      failed?.close();
    } catch {
      // The error was already reported.
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
      // If the file was replaced meanwhile, its error was already reported.
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
    /** First users in the file, `sampleSize` at most. */
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

/** Resolves to the length of all complete lines; a last line cut short by a kill is skipped. Throws if the file is not a journal. */
export async function readMigratedUsers(path: string, each: (user: MigratedUser) => void) {
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
