/** Turns errors of reading a file into an `InputError` that says what to do. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { InputError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';

interface Problem {
  readonly code: `input:${string}`;
  readonly problem: string;
  readonly hint?: string;
}

const problems: Readonly<Record<string, Problem>> = {
  ENOENT: { code: 'input:not-found', problem: 'there is no such file' },
  ENXIO: {
    code: 'input:unreadable',
    problem: 'it is a socket or a device, not a file',
    hint: 'Name a file.',
  },
  ENOTDIR: { code: 'input:not-found', problem: 'a part of the path is a file, not a folder' },
  EISDIR: { code: 'input:is-folder', problem: 'it is a folder, not a file' },
  EACCES: {
    code: 'input:unreadable',
    problem: 'reading it is not permitted',
    hint: 'Give your user the right to read it, or copy it to a place where it has that right.',
  },
  EPERM: { code: 'input:unreadable', problem: 'reading it is not permitted' },
  ENAMETOOLONG: { code: 'input:not-found', problem: 'the path is too long' },
  ELOOP: { code: 'input:not-found', problem: 'its links lead in a circle' },
};

/** With `path`, the path of the file, the error for a missing file suggests similar names. */
export function inputProblem(name: string, error: unknown, path?: string): InputError {
  const errno = (error as NodeJS.ErrnoException).code ?? '';
  const known = problems[errno] ?? {
    code: 'input:unreadable' as const,
    problem: `it could not be read (${errno || 'unknown reason'})`,
  };
  const hint = known.code === 'input:not-found' && path !== undefined ? missingHint(name, path) : known.hint;
  return new InputError(known.code, name, known.problem, hint, error);
}

function missingHint(name: string, path: string): string {
  const similar = similarNames(path);
  const [first] = similar;
  if (first === undefined) return 'Check the path; it is taken from the folder in which the command runs.';
  const folder = dirname(name);
  const suggestions = similar.map((entry) => (name.includes('/') ? join(folder, entry) : entry));
  return `Did you mean ${suggestions.join(' or ')}?`;
}

/** Up to three names, the closest first; none when the folder cannot be read. */
function similarNames(path: string): string[] {
  try {
    // The name itself is there where a link leads nowhere.
    const others = readdirSync(dirname(path)).filter((name) => name !== basename(path));
    return nearest(basename(path), others.slice(0, 1000), isExtended);
  } catch {
    return [];
  }
}

/** `realm.json` and `realm.json.gz`, or `realm` and `realm.json`. */
function isExtended(requested: string, name: string): boolean {
  return name.startsWith(`${requested}.`) || requested.startsWith(`${name}.`);
}
