import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatOffers, offersFor } from '../../src/cli/completion.ts';
import { eachVerb } from '../../src/cli/shape.ts';
import { createTestFolder } from '../support/folder.ts';
import { runProgram } from '../support/workspace.ts';
import { shapeOfProgram } from '../support/tree.ts';

const program = shapeOfProgram();
const ask = (...typed: string[]) =>
  formatOffers(offersFor(program, typed), 'bash').split('\n').filter(Boolean);
const rules = ['keep', 'skip', 'active'];

describe('shell completion', () => {
  it.each(eachVerb(program).map((verb) => [verb.name, verb]))('after %s', (name, verb) => {
    const path = name.split(' ').filter(Boolean);
    const offered = ask(...path, '--');
    const own = verb === program ? [] : verb.flags;
    expect(offered).toEqual(expect.arrayContaining([...own.map(({ long }) => long), '--help', '--json']));
    const below = verb.verbs.map((one) => one.name.slice(name.length).trim());
    expect(ask(...path, '').filter((word) => below.includes(word))).toEqual(below);
  });

  it.each([
    [['migr'], ['migrate']],
    [['he'], ['help']],
    [['help', 'migr'], ['migrate']],
    [['migrate', 'keycloak', '--realm', 'rea'], ['@file']],
    [['migrate', 'keycloak', '--realm', 'realm.json', 'rea'], ['@file']],
    [['migrate', 'keycloak', '--realm', '=', 'rea'], ['@file']],
    [['migrate', 'keycloak', '--realm=rea'], ['@file']],
    [['migrate', 'keycloak', '--org', ''], []],
    [['migrate', 'keycloak', '--disabled', ''], rules],
    [['migrate', 'keycloak', '--disabled='], rules],
    [['migrate', 'keycloak', '--disabled', '='], rules],
    [['migrate', 'keycloak', '--disabled', '=', 'sk'], ['skip']],
    [['migrate', 'keycloak', '--metadata=all', '--disabled=sk'], ['skip']],
    [['check', 'rea'], ['@file']],
    [['check', '--json', 'rea'], ['@file']],
    [['check', '--org', '1', 'rea'], ['@file']],
    [['actions', 'listen', '--record', ''], ['@folder']],
    [['--json', 'che'], ['check']],
    [['--config', 'export', 'mig'], ['migrate']],
    [['--config', 'rea'], ['@file']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
  ])('of %j offers %j', (typed, expected) => {
    expect(ask(...typed)).toEqual(expected);
  });

  it('includes descriptions in zsh and fish', () => {
    const offers = [{ word: 'a:b', help: 'says: x' }];
    expect(formatOffers(offers, 'zsh')).toBe('a\\:b:says: x\n');
    expect(formatOffers(offers, 'fish')).toBe('a:b\tsays: x\n');
    expect(formatOffers(offers, 'tcsh')).toBe('a:b\n');
  });
});

const has = (shell: string) => spawnSync(shell, ['-c', 'exit']).status === 0;
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** How a script of each shell asks for the completion of a line, a word a line. */
const asking: Readonly<Record<string, (line: readonly string[]) => string>> = {
  bash: (line) =>
    `complete -p idport > /dev/null; COMP_WORDS=(${line.map(quote).join(' ')}); COMP_CWORD=${line.length - 1}; _idport; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (line) => `words=(${line.map(quote).join(' ')}); CURRENT=${line.length}; _idport`,
  fish: (line) => `complete -C ${quote(line.join(' '))}`,
};
/** The parts of zsh that show what is offered, replaced by ones that print it. */
const zshParts = `compdef() { : }
compset() { : }
_files() { if [[ -n "$1" ]]; then print -l -- *(/); else print -l -- r*; fi }
_describe() { local entry; for entry in "\${(@P)argv[-1]}"; do print -r -- "\${entry%%:*}"; done }
`;

describe.each(Object.keys(asking))('the completion script of %s', (shell) => {
  let cwd: string;
  let script: string;
  beforeAll(async () => {
    script = (await runProgram(['completion', shell], { cwd: '/' })).stdout;
  });
  beforeEach(() => {
    cwd = createTestFolder();
    mkdirSync(join(cwd, 'calls'));
    for (const name of ['realm one.json', 'realm.json']) writeFileSync(join(cwd, name), '');
    // Says what it was asked for, and answers as each shell wants it.
    writeFileSync(
      join(cwd, 'calls/idport'),
      `#!/bin/sh\nprintf '%s|' "$IDPORT_COMPLETE" "$@" > asked\nprintf '%b' "$ANSWER"\n`,
      { mode: 0o755 },
    );
  });

  const words =
    { bash: 'keep\\nskip\\n', zsh: 'keep:\\nskip:\\n', fish: 'keep\\t\\nskip\\t\\n' }[shell] ?? '';
  const files = ['realm one.json', 'realm.json'];
  it.runIf(has(shell)).each([
    [['migrate', '--disabled', ''], words, ['keep', 'skip']],
    [['--disabled='], words, shell === 'zsh' ? ['keep', 'skip'] : ['--disabled=keep', '--disabled=skip']],
    [['check', shell === 'zsh' ? '' : 'rea'], '@file\\n', files],
    [['--record', ''], '@folder\\n', ['calls']],
  ])(`hands on %j, and offers what is answered (needs ${shell})`, (typed, answer, expected) => {
    const line = ['idport', ...typed];
    const before = shell === 'zsh' ? zshParts : '';
    const { stdout, stderr } = spawnSync(shell, ['-c', `${before}${script}${asking[shell]!(line)}`], {
      cwd,
      env: { ...process.env, PATH: `${join(cwd, 'calls')}:${process.env['PATH']}`, ANSWER: answer },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const offered = stdout.split('\n').map((row) => row.split('\t')[0]!.replace(/\/$/, ''));
    expect(offered.filter(Boolean).toSorted()).toEqual(expected);
    const asked = spawnSync('cat', [join(cwd, 'asked')], { encoding: 'utf8' }).stdout;
    expect(asked).toBe([shell, ...typed, ''].join('|'));
  });
});

it.each([
  ['bash', 'migr', /^migrate\n$/],
  ['bash', '--version', /^--version\n$/],
  // An empty variable counts as unset.
  ['', '--version', /^\d+\./],
])('in %j idport completes %s', (shell, word, offered) => {
  const env = { ...process.env, IDPORT_COMPLETE: shell };
  const argv = [process.env['IDPORT_TEST_PROGRAM']!, word];
  expect(spawnSync(process.execPath, argv, { env, encoding: 'utf8' }).stdout).toMatch(offered);
});
