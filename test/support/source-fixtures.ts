/** The fixture of each built-in source: an export, its tables, and what must come of it. fixtures/README.md says more. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Case } from './fixture-cases.ts';

export interface SourceFixture extends Case {
  /** Program and version that wrote these files; the mapping names it under `versions`. */
  readonly exportedBy?: string;
  /** Programs that hashed the passwords of a table of our own; the mapping names them under `versions`. */
  readonly hashedBy?: readonly string[];
  readonly users: readonly string[];
  /** Passwords by user name. */
  readonly logins: Readonly<Record<string, string>>;
}

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));

export function folderOf(source: string): string {
  return join(fixtures, source);
}

export function readFixture(source: string): SourceFixture {
  return JSON.parse(readFileSync(join(folderOf(source), 'expected.json'), 'utf8')) as SourceFixture;
}
