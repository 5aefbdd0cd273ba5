import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasons } from '../../src/records/reasons.ts';
import { parseCommand } from '../support/argv.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/providers/auth0.md');

/** Codes that the provider says of inputs and lines. */
function codesInSource(): string[] {
  const folder = 'src/sources/auth0/';
  const texts = readdirSync(new URL(folder, root)).map((name) => read(folder + name));
  const found = texts.join('').matchAll(/'((?:input|password|mfa):[a-z-]+)'/g);
  const shared = new Set(['input:empty', 'input:syntax', 'input:no-users', ...Object.keys(reasons)]);
  return [...new Set(Array.from(found, ([, code]) => code!))].filter((code) => !shared.has(code));
}

describe('docs/providers/auth0.md', () => {
  it('explains every code of inputs and lines', () => {
    const missing = codesInSource().filter((code) => !page.includes(`\`${code}\``));
    expect(codesInSource().length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });

  it('names reasons that exist', () => {
    const named = Array.from(page.matchAll(/\[`((?:password|record)[a-z:-]+)`\]/g), ([, code]) => code!);
    expect(named.filter((code) => !(code in reasons))).toEqual([]);
    expect(named).not.toEqual([]);
  });

  it('begins with a command that is understood', async () => {
    const [, line = ''] = /^```sh\nidport (.*)\n```/m.exec(page) ?? [];
    expect((await parseCommand(line.split(' '))).options).toMatchObject({
      users: ['users.ndjson.gz'],
      passwords: ['passwords.ndjson'],
    });
  });

  it.each([...new Set(Array.from(page.matchAll(/(?<=[`\s])--[a-z-]+/g), ([flag]) => flag))])(
    'names a flag that exists: %s',
    async (flag) => {
      const value: Readonly<Record<string, string>> = {
        '--id': 'keep',
        '--name-fallback': 'dash',
        '--idp': 'a=1',
        '--metadata': 'all',
        '--disabled': 'keep',
        '--duplicates': 'keep',
        '--default-region': 'CH',
        '--report': 'r.json',
        '--mfa': 'm',
        '--passwords': 'p',
        '--memberships': 'm',
        '--roles': 'new:x',
        '--role-members': 'm',
        '--users': 'u',
        '--org': '1',
      };
      if (flag === '--help') return;
      const given = value[flag] === undefined ? [flag] : [`${flag}=${value[flag]}`];
      await expect(
        parseCommand(['migrate', 'auth0', '--org=1', '--users=u', ...given]),
      ).resolves.toBeDefined();
    },
  );
});
