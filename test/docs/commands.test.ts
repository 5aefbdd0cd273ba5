/** Every command line that a page shows is one that the program understands: verb, flags, values, arguments. */
import { describe, expect, it } from 'vitest';
import { docsPages, readProject } from '../support/folder.ts';
import { parseFlags } from '../support/tree.ts';
import { blocksIn } from '../support/page.ts';
import { idportCommandsIn } from '../support/shell.ts';

/** What workflows in `yaml` run. */
function stepsOf(yaml: string) {
  return Array.from(
    yaml.matchAll(/^( *)(?:- )?run: (?:\|\n((?:\1 +.*\n|\n)+)|(.*)\n)/gm),
    ([, , block, line]) => (block === undefined ? (line ?? '') : block),
  );
}

const shown = ['README.md', ...docsPages].flatMap((page) =>
  [...blocksIn(readProject(page), 'sh'), ...blocksIn(readProject(page), 'yaml').flatMap(stepsOf)]
    .flatMap(idportCommandsIn)
    .map((argv) => ({ page, argv, line: argv.join(' ') })),
);

describe('command lines of pages', () => {
  it('are found', () => {
    expect(shown.length).toBeGreaterThan(50);
    expect(new Set(shown.map(({ page }) => page)).size).toBeGreaterThan(10);
  });

  it.each(shown)('$page: idport $line', async ({ argv }) => {
    if (argv.some((word) => ['--version', '--help'].includes(word))) return;
    await expect(parseFlags(argv)).resolves.toBeDefined();
  });
});
