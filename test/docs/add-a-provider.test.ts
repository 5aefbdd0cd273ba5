/** docs/add-a-provider.md, built: its code in a copy of the program, type-checked and run. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/add-a-provider.md`, 'utf8');

/** The block under a path, or the one that the text ends with. */
function blockAfter(text: string): string {
  return page.slice(page.indexOf(text)).match(/```\w+\n([^]*?)```/)?.[1] ?? '';
}

/** Lines with a plus go behind the line before them, or replace the one with a minus. */
function applyDiff(text: string, diff: string): string {
  let changed = text;
  let before = '';
  for (const line of diff.split('\n')) {
    const content = `${line.slice(1)}\n`;
    if (!line.startsWith('+')) {
      if (!changed.includes(content)) throw new Error(`The table of providers has no line ${content}`);
      before = content;
      continue;
    }
    const isReplaced = diff.includes(`-${before}`);
    changed = changed.replace(before, () => (isReplaced ? content : before + content));
    before = content;
  }
  return changed;
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

it('the example passes the compiler, and converts its users', { timeout: 120_000 }, () => {
  const folder = createTestFolder();
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as object & {
    compilerOptions: object;
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  for (const name of ['entry', 'read', 'provider']) {
    const path = `src/sources/gatehouse/${name}.ts`;
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), blockAfter(`\`${path}\`\n`));
  }
  const table = 'src/sources/providers.ts';
  const changed = applyDiff(readFileSync(join(root, table), 'utf8'), blockAfter(`\`${table}\`\n`).trimEnd());
  writeFileSync(join(folder, table), changed);
  writeFileSync(join(folder, 'accounts.ndjson'), blockAfter('`accounts.ndjson`\n'));

  expect(run(folder, 'typescript/bin/tsc', ['-p', 'tsconfig.json'])).toEqual({ status: 0, output: '' });
  const [, ...argv] = blockAfter('## 5. Try it').trim().split(' ');
  const { status, output } = run(folder, 'tsx/dist/cli.mjs', ['src/cli/start.ts', ...argv]);
  expect({ status, output }).toMatchObject({
    status: 3,
    output: expect.stringContaining('2 + 1 + 0 = 3') as string,
  });
  const body = JSON.parse(readFileSync(join(folder, 'importBody.json'), 'utf8')) as unknown;
  expect(body).toEqual(JSON.parse(blockAfter('and is rejected. The body:')));
});
