import { expect, it } from 'vitest';
import { byHelp, remedyOf, rules } from '../../src/api/refusals.ts';
import { fitAdvice } from '../../src/cli/program.ts';
import { eachVerb } from '../../src/cli/shape.ts';
import { renameFlags } from '../../src/commands/copy.ts';
import { foreignFlags, pathTo, wrongCommands } from '../support/advice.ts';
import { shapeOfProgram } from '../support/tree.ts';

const program = shapeOfProgram();
/** Those that talk to the service. */
const verbs = eachVerb(program).filter(({ flags }) =>
  flags.some(({ long }) => long === '--url' || long === '--from-url'),
);

/** Every text that a row can give. */
const texts = [...Object.values(byHelp), ...rules].flatMap((row) => {
  const paths = ['/other', '/admin/v1/import', '/admin/v1/export', '/management/v1/users/_search'];
  return paths.flatMap((path) => [undefined, '4711'].flatMap((org) => remedyOf(row, { path, org }) ?? []));
});

/** `copy` talks to two services, and names each by its own flags. */
const sides = (verb: string, text: string) =>
  verb === 'copy'
    ? ['from', 'to'].map((side) =>
        renameFlags(text, {
          '--url': `--${side}-url`,
          '--token-file': `--${side}-token-file`,
          IDPORT_TOKEN: `IDPORT_${side.toUpperCase()}_TOKEN`,
        }),
      )
    : [text];

it('remedies of API errors cover all verbs that talk to a service', () => {
  expect(verbs.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['import', 'export', 'copy', 'import-users', 'undo', 'actions target create']),
  );
});

it.each(verbs.map(({ name }) => name))('remedies of API errors fit %s and name only its flags', (name) => {
  for (const text of new Set(texts.flatMap((text) => sides(name, text)))) {
    const said = fitAdvice(text, pathTo(program, name));
    expect({
      text,
      empty: said === undefined,
      foreign: foreignFlags(said ?? '', program, name),
      wrong: wrongCommands(text, program),
    }).toEqual({ text, empty: false, foreign: [], wrong: [] });
  }
});
