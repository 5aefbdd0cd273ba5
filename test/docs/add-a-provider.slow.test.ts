/** docs/add-a-provider.md, built: its mapping in a copy of the program becomes a source that is run. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder, readProject, root } from '../support/folder.ts';
import { blocksIn } from '../support/page.ts';
import { runProcess } from '../support/process.ts';

const page = readProject('docs/add-a-provider.md');

/** The block under a path, or the one that the text ends with. */
const blockAfter = (text: string) => blocksIn(page.slice(page.indexOf(text)))[0]!;

it('docs/add-a-provider.md makes a source with page and command', { timeout: 120_000 }, async () => {
  const folder = createTestFolder();
  for (const name of ['src', 'scripts', 'docs', 'test', 'package.json', 'README.md', 'skills'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const path = 'src/sources/table/maps/gatehouse.yaml';
  writeFileSync(join(folder, path), blockAfter(`\`${path}\`\n`));
  writeFileSync(join(folder, 'accounts.ndjson'), blockAfter('`accounts.ndjson`\n'));

  const tsx = (...argv: readonly string[]) =>
    runProcess(argv, { cwd: folder, program: `${root}node_modules/tsx/dist/cli.mjs` });
  expect(await tsx('scripts/write-docs.ts')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  const sources = readFileSync(join(folder, 'docs/sources.md'), 'utf8');
  expect(sources).toContain('Gatehouse');
  expect(sources).toContain('| `gatehouse` |');
  const [, ...argv] = blockAfter('## 3. Try it').trim().split(' ');
  const converted = await tsx('src/cli/start.ts', ...argv);
  expect(converted).toMatchObject({ exitCode: 3, stderr: /2 \+ 1 \+ 0 = 3/ });
  const others = argv.map((word) => word.replace('gatehouse', 'supabase'));
  const refused = await tsx('src/cli/start.ts', ...others);
  expect(refused).toMatchObject({ exitCode: 2, stderr: /idport migrate gatehouse/ });
  const body = JSON.parse(readFileSync(join(folder, 'importBody.json'), 'utf8')) as unknown;
  expect(body).toEqual(JSON.parse(blockAfter('and is rejected. The body:')));
});
