/** docs/add-a-provider.md, step by step: its code is put into a copy of the sources, compiled, and run. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/add-a-provider.md'), 'utf8');

/** The blocks with a comment such as `<!-- file: src/a.ts -->`, by path. */
function blocksOf(kind: 'file' | 'edit'): [path: string, text: string][] {
  const blocks = page.matchAll(/^<!-- (file|edit): (\S+) -->\n```\w+\n([^]*?)^```$/gm);
  return Array.from(blocks)
    .filter(([, found]) => found === kind)
    .map(([, , path = '', text = '']) => [path, text]);
}

/** Lines with `+` come before the next line without; a line with `-` goes. */
function edit(text: string, diff: string): string {
  const lines = text.split('\n');
  const added: string[] = [];
  let at = 0;
  for (const line of diff.trimEnd().split('\n')) {
    const [sign, rest] = [line.slice(0, 1), line.slice(1)];
    if (sign === '+') {
      added.push(rest);
      continue;
    }
    lines.splice(at, 0, ...added.splice(0));
    at = lines.indexOf(rest);
    expect([rest, at]).not.toEqual([rest, -1]);
    if (sign === '-') lines.splice(at, 1);
    else at++;
  }
  lines.splice(at, 0, ...added);
  return lines.join('\n');
}

it('makes a provider that every command knows', () => {
  const folder = createTestFolder();
  for (const name of ['src', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, text] of blocksOf('file')) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const [path, diff] of blocksOf('edit')) {
    writeFileSync(join(folder, path), edit(readFileSync(join(folder, path), 'utf8'), diff));
  }
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.json'], { cwd: folder, stdio: 'pipe' });

  const idport = (...argv: string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'src/cli/start.ts', ...argv], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
  expect(idport('migrate', '--help').stdout).toContain('accounts of Example, as NDJSON');

  const migrated = idport('migrate', 'example', '--org=1', '--accounts=export.ndjson');
  expect(migrated.stderr).toContain('login is not a text');
  expect(migrated.status).toBe(3);
  const { dataOrgs } = JSON.parse(readFileSync(join(folder, 'importBody.json'), 'utf8')) as any;
  expect(dataOrgs.orgs[0].humanUsers).toMatchObject([
    {
      userId: 'u-1',
      user: { userName: 'ann', hashedPassword: { value: expect.stringMatching(/^\$2b\$10\$/) } },
    },
    { userId: 'u-2', user: { userName: 'bob' } },
  ]);

  mkdirSync(join(folder, 'parts'));
  cpSync(join(folder, 'export.ndjson'), join(folder, 'parts/export.ndjson'));
  const checked = idport(
    'check',
    '--from=example',
    '--accounts=parts',
    '--blocked=activate',
    '--allow-emails',
  );
  expect(checked.stderr).toContain('The counts add up: 1 + 1 + 1 + 0 = 3.');
  const library = `
    import { convert } from './src/index.ts';
    await convert({ provider: 'example', org: '1', accounts: 'export.ndjson', output: 'library.json' });
  `;
  writeFileSync(join(folder, 'library.ts'), library);
  execFileSync(process.execPath, ['--import', 'tsx', 'library.ts'], { cwd: folder });
  expect(existsSync(join(folder, 'library.json'))).toBe(true);
}, 120_000);
