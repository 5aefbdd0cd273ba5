import { describe, expect, it } from 'vitest';
import { answerTo } from '../../src/cli/help.ts';
import { readLine } from '../../src/cli/program.ts';
import { allVerbs, refusalOf } from '../support/tree.ts';

async function helpFor(argv: readonly string[]): Promise<string> {
  const line = await readLine(argv);
  expect(line.asks).toMatch(/help|all/);
  return answerTo(line, '0.0.0');
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

/** The flags of a conversion on the fly are shown once it is said what of: those of its source. */
const sources = [['--from=keycloak'], ['--from=auth0'], ['--from=sql'], ['--from=ldap']];

it.each(allVerbs().filter(({ flags }) => flags.length > 14))(
  'the help of $name has a dozen flags; --help=all has them all, in groups',
  async ({ name, flags }) => {
    const path = name.split(' ');
    const short = await helpFor([...path, '--help']);
    const ofEach = (flags.some((flag) => flag.name === 'from') ? sources : [[]]).map((from) =>
      helpFor([...path, ...from, '--help=all']),
    );
    const all = (await Promise.all(ofEach)).join('');
    const visible = flags.filter(({ hidden }) => hidden !== true);
    expect(visible.filter(({ long }) => short.includes(`  ${long} `)).length).toBeLessThanOrEqual(14);
    expect(short).toContain(` more flags: idport ${name} --help=all`);
    for (const { long } of visible) expect(all).toContain(`  ${long}`);
  },
);

it('--from leaves out the flags of other sources', async () => {
  const all = await helpFor(['import-users', '--from=keycloak', '--help=all']);
  expect(all).toContain('  --realm ');
  expect(all).not.toMatch(/ --(?:users|mfa|table|map) /);
  expect(all).not.toContain('more flags');
});

it('a flag that a verb calls common is one that it has', () => {
  const common = allVerbs().flatMap(({ name, common = [], flags }) =>
    common.filter((one) => !flags.some(({ attribute }) => attribute === one)).map((one) => `${name}: ${one}`),
  );
  expect(common.filter((one) => !one.startsWith('migrate ') || !one.endsWith(': map'))).toEqual([]);
});

it.each([
  ['migrate abacus', 'abacus', 'The sources are keycloak, auth0, csv, json'],
  ['help migrate abacus', 'abacus', 'The sources are keycloak, auth0, csv, json'],
  ['actions bind', 'bind', 'The commands are target, execution, apply, listen, verify, sign, replay. '],
  ['help actions target make', 'make', 'The commands are create, '],
  ['help check more', 'more', '`idport check --help` says more.'],
])('idport %s says what there is', async (line, word, hint) => {
  const error = await refusalOf(line);
  expect(error.message).toBe(`unknown command '${word}'`);
  expect(error.hint).toContain(hint);
});
