import { describe, expect, it } from 'vitest';
import { allVerbs, refusalOf, type VerbInTree } from '../support/tree.ts';

/** As fingers do it: the second letter is left out. */
const mistype = (word: string) => word.slice(0, 1) + word.slice(2);
const long = (word: string) => word.length > 2;

const verbs = allVerbs();
const flagsOf = ({ command }: Pick<VerbInTree, 'command'>) =>
  command.options.map(({ flags, argChoices }) => `${flags} ${argChoices?.join() ?? ''}`).join('\n');
/** Most sources have the same flags: the first verb of each set stands for all. */
const sets = new Map([...verbs].reverse().map((verb) => [flagsOf(verb), verb.name]));

describe.each(verbs)('$name', ({ name, command }) => {
  const path = name.split(' ');

  it('is suggested for its mistyped name', async () => {
    const last = path.at(-1) ?? '';
    const { message, hint } = await refusalOf([...path.slice(0, -1), mistype(last)].join(' '));
    expect(message).toBe(`unknown command '${mistype(last)}'`);
    expect(hint).toMatch(new RegExp(`^Did you mean .*\\b${last}\\b`));
  });

  if (sets.get(flagsOf({ command })) !== name) return;

  const flags = command.options.flatMap(({ long }) => (long ? [long.slice(2)] : []));
  it('suggests each of its mistyped flags', async () => {
    for (const flag of [...flags.filter(long), 'quiet', 'help']) {
      const { message, hint } = await refusalOf(`${name} --${mistype(flag)}`);
      expect(message).toBe(`unknown option '--${mistype(flag)}'`);
      expect(hint).toMatch(
        new RegExp(`^Did you mean .*--${flag}\\b.*\`idport ${name} --help\` says more\\.$`),
      );
    }
  });

  const choices = command.options.flatMap(({ long, argChoices = [] }) =>
    argChoices.map((choice) => [long ?? '', choice] as const),
  );
  it.each(choices.filter(([, choice]) => long(choice)))(
    'suggests the choices of %s: %s',
    async (flag, choice) => {
      const { message, hint } = await refusalOf(`${name} ${flag}=${mistype(choice)}`);
      expect(message).toContain(`argument '${mistype(choice)}' is invalid. Allowed choices are`);
      expect(hint).toMatch(new RegExp(`^Did you mean .*\\b${choice}\\b`));
    },
  );
});

const ofChoices = "<shell> 'bas' is invalid. Allowed choices are bash, zsh, fish.";

it.each([
  ['a choice of an argument', 'completion bas', ofChoices, /Did you mean bash\?/],
  // Its value is not repeated: it may be a token.
  [
    'before its command',
    '--org=1 migrate keycloak',
    "unknown option '--org'",
    /follow the name of the command/,
  ],
  ['a flag', 'check --token=open-sesame', "unknown option '--token'", /--token-file/],
  ['before a missing flag', 'migrate keycloak --relm=x', "unknown option '--relm'", /Did you mean --realm\?/],
  [
    'a value of a switch',
    'check x --quiet=true',
    '--quiet takes no value',
    /^`idport check --help` says more\.$/,
  ],
  ['of another level', 'keycloak', "unknown command 'keycloak'", /Did you mean `idport migrate keycloak`\?/],
  ['nothing near', 'frobnicate', "unknown command 'frobnicate'", /^`idport --help` says more\.$/],
])('a mistyped word gets a suggestion: %s', async (_, line, message, hint) => {
  expect(await refusalOf(line)).toMatchObject({ message, hint });
});

it.each([
  ['migrate --org=1', 'Name the export or its source first: idport migrate realm.json.'],
  ['import', 'body: what `migrate` or `export` wrote. `idport import --help` says more.'],
  [
    'explain',
    'codes: reason codes (password:none) and error ids (COMMAND-ziuna). `idport explain --help` says more.',
  ],
  ['export --org', '--org <id>: only this organization (repeatable). `idport export --help` says more.'],
])('%s tells what is missing', async (line, hint) => {
  expect((await refusalOf(line)).hint).toBe(hint);
});

it.each(['export --url=http://127.0.0.1:9 --org=', 'import-users b.json --user=,'])(
  '%s is refused because the variable is empty',
  async (line) => {
    expect(await refusalOf(line)).toMatchObject({ message: /is empty/i, exitCode: 2 });
  },
);

it.each([
  ['verify --from=keycloak --realm=realm.json --roles=new:Shop', /^Pass --roles to .*`idport verify import/],
  ['undo --dry-run', /--yes/],
  ['map users.csv --output=m.yaml', /standard output/],
])('%s says what to type instead', async (line, hint) => {
  expect(await refusalOf(line)).toMatchObject({ hint, message: /^unknown option/ });
});

it.each([
  ['import-users x.json --org=1 --org=2', '--org is given twice, and it takes one value'],
  ['check x.json --email-verified --email-verified=false', '--email-verified is given twice'],
  ['check x.json --config=a.json --config b.json', '--config is given twice'],
  ['undo a.journal --journal=b.journal', 'the journal is given twice, as --journal and as an argument'],
])('%s is refused: it is given twice', async (line, message) => {
  expect((await refusalOf(line)).message).toContain(message);
});

it('too many arguments have a hint on flags with several values', async () => {
  const { message, hint } = await refusalOf('migrate keycloak --org=1 --realm=a b');
  expect(message).toContain('too many arguments');
  expect(hint).toContain('--realm=a.json --realm=b.json');
});
