import { describe, expect, it } from 'vitest';
import type { UsageError } from '../../src/errors.ts';
import { headingOf } from '../../src/cli/help.ts';
import { createProgram } from '../../src/cli/program.ts';
import { allVerbs, createTree } from '../support/tree.ts';

async function helpFor(argv: readonly string[]): Promise<string> {
  let text = '';
  const write = (part: string): void => void (text += part);
  const program = createProgram('0.0.0', async () => {}, { out: write, err: write });
  const end = await program.parseAsync([...argv], { from: 'user' }).catch((error: unknown) => error);
  expect(end).toMatchObject({ code: 'commander.helpDisplayed' });
  return text;
}

async function refusal(argv: readonly string[]): Promise<UsageError> {
  return (await createTree()
    .parseAsync([...argv], { from: 'user' })
    .catch((error: unknown) => error)) as UsageError;
}

describe.each(allVerbs())('the help of $name', ({ name }) => {
  const path = name.split(' ');

  it('is the same asked for in every way', async () => {
    const help = await helpFor([...path, '--help']);
    expect(help).toContain(`Usage: idport ${name}`);
    for (let at = 0; at < path.length; at++) {
      expect(await helpFor([...path.slice(0, at), 'help', ...path.slice(at)])).toBe(help);
    }
  });
});

it.each(['migrate', 'check', 'import', 'import-users', 'verify', 'undo', 'export', 'copy'])(
  'every flag of %s stands in a group (the table is in src/cli/help.ts)',
  (verb) => {
    const commands = allVerbs().filter(({ name }) => name.split(' ')[0] === verb);
    const options = commands.flatMap(({ command }) => command.options.filter(({ hidden }) => !hidden));
    expect(options.length).toBeGreaterThan(5);
    expect(
      options.filter((option) => headingOf(option, verb) === 'Options:').map(({ long }) => long),
    ).toEqual([]);
  },
);

it.each([
  ['migrate abacus', 'abacus', 'The sources are keycloak, auth0, csv, json'],
  ['help migrate abacus', 'abacus', 'The sources are keycloak, auth0, csv, json'],
  ['actions bind', 'bind', 'The commands are target, execution, apply, listen, verify, sign, replay. '],
  ['help actions target make', 'make', 'The commands are create, '],
  ['help check more', 'more', '`idport check --help` says more.'],
])('idport %s says what there is', async (line, word, hint) => {
  const error = await refusal(line.split(' '));
  expect(error.message).toBe(`unknown command '${word}'`);
  expect(error.hint).toContain(hint);
});
