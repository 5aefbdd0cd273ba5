/** Every command line that a page shows is one that the program understands: verb, flags, values, arguments. */
import { describe, expect, it } from 'vitest';
import { docsPages, readProject } from '../support/folder.ts';
import { parseFlags } from '../support/tree.ts';
import { idportCommandsIn } from '../support/shell.ts';

/** Commands in `sh` blocks, and after `run:` in the `yaml` of a workflow. */
function shellOf(page: string) {
  const blocks = Array.from(
    readProject(page).matchAll(/^```(sh|yaml)\n([^]*?)^```$/gm),
    ([, language, code = '']) => ({
      language,
      code,
    }),
  );
  return blocks.flatMap(({ language, code }) => (language === 'sh' ? [code] : stepsOf(code)));
}

function stepsOf(yaml: string) {
  return Array.from(
    yaml.matchAll(/^( *)(?:- )?run: (?:\|\n((?:\1 +.*\n|\n)+)|(.*)\n)/gm),
    ([, , block, line]) => (block === undefined ? (line ?? '') : block),
  );
}

const shown = ['README.md', ...docsPages].flatMap((page) =>
  shellOf(page)
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
