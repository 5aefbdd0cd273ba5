import { describe, expect, it } from 'vitest';
import { kindOf } from '../../src/cli/help.ts';
import { createProgram } from '../../src/cli/program.ts';
import { allVerbs, refusalOf, type VerbInTree } from '../support/tree.ts';

async function helpFor(argv: readonly string[]) {
  let text = '';
  const write = (part: string) => void (text += part);
  const program = createProgram('0.0.0', { out: write, err: write });
  const end = await program.parse(argv).catch((error: unknown) => error);
  expect(end).toMatchObject({ code: 'commander.helpDisplayed' });
  return text;
}

describe.each(allVerbs())('the help of $name', ({ name }) => {
  const path = name.split(' ');

  it('is the same for --help and for help', async () => {
    const help = await helpFor([...path, '--help']);
    expect(help).toContain(`Usage: idport ${name}`);
    expect(help).not.toContain('display help for command');
    for (let at = 0; at < path.length; at++) {
      expect(await helpFor([...path.slice(0, at), 'help', ...path.slice(at)])).toBe(help);
    }
  });
});

it('the help of the program lists the verbs under headings', async () => {
  const headings = 'Options Start Look at the source Migrate Follow up Work with a service Other Examples';
  expect((await helpFor(['--help'])).match(/^\w.*(?=:$)/gm)?.join(' ')).toBe(headings);
});

/** The flags of a conversion on the fly are shown once it is said what of: those of its source. */
const conversions = ({ verb, command }: VerbInTree) =>
  command.options.map(kindOf(verb, command)).includes('later')
    ? [['--from=keycloak'], ['--from=auth0'], ['--from=sql'], ['--from=ldap']]
    : [[]];

const long = allVerbs().filter(({ command }) => command.options.length > 14);

it.each(long)(
  'the help of $name has at most 14 flags, and --help=all has every flag',
  async ({ name, verb, command }) => {
    const path = name.split(' ');
    const short = await helpFor([...path, '--help']);
    const ofEach = conversions({ name, verb, command }).map((from) =>
      helpFor([...path, ...from, '--help=all']),
    );
    const all = (await Promise.all(ofEach)).join('');
    const shown = command.options.filter(({ long: flag }) => short.includes(`  ${flag} `));
    expect(shown.length).toBeLessThanOrEqual(14);
    expect(short).toContain(` more flags: idport ${name} --help=all`);
    for (const { long: flag } of command.options) expect(all).toContain(`  ${flag}`);
  },
);

it('--from hides the flags of other sources', async () => {
  const all = await helpFor(['import-users', '--from=keycloak', '--help=all']);
  expect(all).toContain('  --realm ');
  expect(all).not.toMatch(/ --(?:users|mfa|table|map) /);
  expect(all).not.toContain('more flags');
});

it('a verb has every flag that it marks as common', () => {
  const common = allVerbs().flatMap(({ name, verb, command }) =>
    (verb.row.common ?? [])
      .filter((flag) => !command.options.some((option) => option.attributeName() === flag))
      .map((flag) => `${name}: ${flag}`),
  );
  expect(common.filter((one) => !one.startsWith('migrate ') || !one.endsWith(': map'))).toEqual([]);
});

it.each([
  ['migrate abacus', 'abacus', 'The sources are keycloak, auth0, csv, json'],
  ['actions lisen', 'lisen', 'Did you mean listen? `idport actions --help` says more.'],
  ['migrate abacus --help', 'abacus', 'The sources are keycloak, auth0, csv, json'],
  ['profiles --help=all', 'profiles', 'Did you mean profile?'],
  ['actions bind', 'bind', 'The commands are target, execution, apply, listen, verify, sign, replay. '],
  ['help check more', 'more', '`idport check --help` says more.'],
])('idport %s lists the known names', async (line, word, hint) => {
  const error = await refusalOf(line);
  expect(error.message).toBe(`unknown command '${word}'`);
  expect(error.hint).toContain(hint);
});
