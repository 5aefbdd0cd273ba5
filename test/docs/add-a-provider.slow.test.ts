/** docs/add-a-provider.md, built: its mapping in a copy of the program becomes a source that is run. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder, readProject, root } from '../support/folder.ts';

const page = readProject('docs/add-a-provider.md');

/** The block under a path, or the one that the text ends with. */
function blockAfter(text: string) {
  return page.slice(page.indexOf(text)).match(/```\w+\n([^]*?)```/)?.[1] ?? '';
}

function run(folder: string, program: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'node_modules', program), ...args],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  return { status, output: stdout + stderr };
}

it('docs/add-a-provider.md makes a source with page and command', { timeout: 120_000 }, () => {
  const folder = createTestFolder();
  for (const name of ['src', 'scripts', 'docs', 'test', 'package.json', 'README.md', 'skills'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const path = 'src/sources/table/maps/gatehouse.yaml';
  writeFileSync(join(folder, path), blockAfter(`\`${path}\`\n`));
  writeFileSync(join(folder, 'accounts.ndjson'), blockAfter('`accounts.ndjson`\n'));

  expect(run(folder, 'tsx/dist/cli.mjs', ['scripts/write-docs.ts'])).toEqual({ status: 0, output: '' });
  const sources = readFileSync(join(folder, 'docs/sources.md'), 'utf8');
  expect(sources).toContain('Gatehouse');
  expect(sources).toContain('| `gatehouse` |');
  const [, ...argv] = blockAfter('## 3. Try it').trim().split(' ');
  const { status, output } = run(folder, 'tsx/dist/cli.mjs', ['src/cli/start.ts', ...argv]);
  expect({ status, output }).toMatchObject({
    status: 3,
    output: expect.stringContaining('2 + 1 + 0 = 3') as string,
  });
  const other = run(folder, 'tsx/dist/cli.mjs', [
    'src/cli/start.ts',
    ...argv.map((word) => word.replace('gatehouse', 'supabase')),
  ]);
  expect(other).toMatchObject({
    status: 2,
    output: expect.stringContaining('idport migrate gatehouse') as string,
  });
  const body = JSON.parse(readFileSync(join(folder, 'importBody.json'), 'utf8')) as unknown;
  expect(body).toEqual(JSON.parse(blockAfter('and is rejected. The body:')));
});
