import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { wordsOf, type VerbWords } from '../../../src/cli/completion/words.ts';
import { createTestFolder } from '../../support/folder.ts';
import { runProgram } from '../../support/program.ts';
import { shapeOfProgram } from '../../support/tree.ts';

const has = (program: string): boolean => spawnSync(program, ['-c', 'exit']).status === 0;
const shells = ['bash', 'zsh', 'fish'] as const;
const verbs = wordsOf(shapeOfProgram());
const words = (verb: VerbWords): string[] => verb.name.split(' ').filter(Boolean);

let cwd: string;
const scripts = new Map<string, string>();
beforeAll(async () => {
  for (const shell of shells) {
    const { stdout } = await runProgram(['completion', shell], { cwd: '/' });
    scripts.set(shell, stdout);
  }
});
beforeEach(() => {
  cwd = createTestFolder();
  mkdirSync(join(cwd, 'calls'));
  for (const name of ['realm one.json', 'realm.json']) writeFileSync(join(cwd, name), '');
});

/** What bash offers for the last word of each line, all in one process. */
function complete(lines: readonly (readonly string[])[]): string[][] {
  const calls = lines.map((line) => `complete_words ${line.map(quote).join(' ')}`);
  const script = `${scripts.get('bash')}
complete_words() {
  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _idport
  for word in "\${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done
  printf '%s\\n' --end--
}
${calls.join('\n')}
`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '--noprofile'], {
    input: script,
    cwd,
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const answers = stdout.split('--end--\n').slice(0, -1);
  expect(answers).toHaveLength(lines.length);
  return answers.map((answer) => answer.split('\n').filter((word) => word !== ''));
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

describe.runIf(has('bash'))('in bash (needs bash)', () => {
  it('after each verb stand its sub-verbs, and nothing else', () => {
    const groups = verbs.filter(({ verbs }) => verbs.length > 0);
    const offered = complete(groups.map((verb) => ['idport', ...words(verb), '']));
    expect(offered).toEqual(groups.map(({ verbs }) => verbs.map(({ name }) => name)));
  });

  it('each verb has exactly its flags and those of all verbs', () => {
    const offered = complete(verbs.map((verb) => ['idport', ...words(verb), '--']));
    expect(offered).toEqual(verbs.map(({ flags }) => flags.map(({ long }) => long)));
    expect(offered.every((flags) => flags.includes('--help') && flags.includes('--json'))).toBe(true);
  });

  it('each flag with choices has them, with a blank and with an equals sign', () => {
    // Most sources have the same flags.
    const different = [...new Map(verbs.map((verb) => [JSON.stringify(verb.flags), verb])).values()];
    const flags = different.flatMap((verb) =>
      verb.flags.flatMap(({ long, values }) => (Array.isArray(values) ? [{ verb, long, values }] : [])),
    );
    expect(flags.length).toBeGreaterThan(10);
    for (const after of [[''], ['=', ''], ['=']]) {
      const lines = flags.map(({ verb, long }) => ['idport', ...words(verb), long, ...after]);
      expect(complete(lines)).toEqual(flags.map(({ values }) => values));
    }
    const whole = complete(flags.map(({ verb, long }) => ['idport', ...words(verb), `${long}=`]));
    expect(whole).toEqual(
      flags.map(({ long, values }) => (values as string[]).map((value) => `${long}=${value}`)),
    );
  });

  const files = ['realm one.json', 'realm.json'];
  it.each<[string[], string[]]>([
    [['migr'], ['migrate']],
    [['migrate', 'keycloak', '--realm', 'rea'], files],
    [['migrate', 'keycloak', '--realm', 'realm.json', 'rea'], files],
    [['migrate', 'keycloak', '--realm', '=', 'rea'], files],
    [['migrate', 'keycloak', '--org', ''], []],
    [['check', 'rea'], files],
    [['check', '--json', 'rea'], files],
    [['check', '--org', '1', 'rea'], files],
    [['actions', 'listen', '--record', ''], ['calls']],
    [['actions', 'execution', 'names', 'm'], ['methods']],
    [['--json', 'che'], ['check']],
    [['--config', 'export', 'mig'], ['migrate']],
    [['--config', 'rea'], files],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['nonsense', '--'],
      ['--version', '--json'],
    ],
  ])('%j is offered %j', (line, expected) => {
    expect(
      complete([['idport', ...line]])[0]
        ?.slice(0, Math.max(2, expected.length))
        .toSorted(),
    ).toEqual(expected.toSorted());
  });

  it('the script is registered for idport and runs no other program', () => {
    const script = `PATH=/nowhere\n${scripts.get('bash')}\ncomplete -p idport\nCOMP_WORDS=(idport mi)\nCOMP_CWORD=1\n_idport\necho "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '--noprofile'], {
      input: script,
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'complete -F _idport idport\nmigrate\n', stderr: '' });
  });
});

describe.each(shells)('the script for %s', (shell) => {
  it('names every verb and every flag', () => {
    const script = scripts.get(shell) ?? '';
    for (const { name, flags } of verbs) {
      expect(script).toContain(name);
      for (const { long } of flags) expect(script).toContain(shell === 'fish' ? `'${long.slice(2)}'` : long);
    }
  });

  const check = { bash: ['-n'], zsh: ['-n'], fish: ['--no-execute'] }[shell];
  it.runIf(has(shell))('is one that the shell can read (needs that shell)', () => {
    writeFileSync(join(cwd, shell), scripts.get(shell) ?? '');
    const { status, stderr } = spawnSync(shell, [...check, join(cwd, shell)], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe.runIf(has('zsh'))('in zsh (needs zsh)', () => {
  /** With the parts of zsh that show what is offered replaced by ones that print it. */
  function offer(lines: readonly (readonly string[])[]): string[][] {
    const calls = lines.map(
      (line) => `words=(${line.map(quote).join(' ')}); CURRENT=${line.length}; _idport; print -- --end--`,
    );
    const script = `
compdef() { : }
compset() { : }
compadd() { shift; print -l -- "$@" }
_files() { print -- "@files $*" }
_describe() { local entry; for entry in "\${(@P)argv[-1]}"; do print -r -- "\${entry%%:*}"; done }
${scripts.get('zsh')}
${calls.join('\n')}
`;
    const { stdout, stderr, status } = spawnSync('zsh', ['-f'], { input: script, cwd, encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    return stdout
      .split('--end--\n')
      .slice(0, -1)
      .map((answer) => answer.split('\n').filter((word) => word !== ''));
  }

  it('each verb has its sub-verbs and its flags', () => {
    const groups = verbs.filter(({ verbs }) => verbs.length > 0);
    expect(offer(groups.map((verb) => ['idport', ...words(verb), '']))).toEqual(
      groups.map(({ verbs }) => verbs.map(({ name }) => name)),
    );
    expect(offer(verbs.map((verb) => ['idport', ...words(verb), '--']))).toEqual(
      verbs.map(({ flags }) => flags.map(({ long }) => long)),
    );
  });

  it.each<[string[], string[]]>([
    [
      ['migrate', 'keycloak', '--disabled', ''],
      ['keep', 'skip', 'active'],
    ],
    [
      ['migrate', 'keycloak', '--disabled='],
      ['keep', 'skip', 'active'],
    ],
    [['migrate', 'keycloak', '--realm', 'a', ''], ['@files ']],
    [['check', '--org', '1', ''], ['@files ']],
    [['check', '--org', ''], []],
    [['actions', 'listen', '--record', ''], ['@files -/']],
    [
      ['--config', 'check', 'migrate', ''],
      ['keycloak', 'auth0'],
    ],
    [
      ['actions', 'execution', 'names', ''],
      ['methods', 'services', 'functions'],
    ],
  ])('%j is offered %j', (line, expected) => {
    expect(offer([['idport', ...line]])).toEqual([expected]);
  });
});

it.runIf(has('fish'))('fish offers verbs, choices, files and flags (needs fish)', () => {
  writeFileSync(join(cwd, 'script'), scripts.get('fish') ?? '');
  const lines = [
    'idport mi',
    'idport migrate keycloak --disabled ',
    'idport check rea',
    'idport check --rej',
  ];
  const offered = lines.map((line) => {
    const script = `source ${join(cwd, 'script')}; complete -C '${line}'`;
    const { stdout } = spawnSync('fish', ['-N', '-c', script], { cwd, encoding: 'utf8' });
    return stdout
      .split('\n')
      .flatMap((row) => row.split('\t')[0] || [])
      .toSorted();
  });
  expect(offered).toEqual([
    ['migrate'],
    ['active', 'keep', 'skip'],
    ['realm one.json', 'realm.json'],
    ['--rejects'],
  ]);
});

it('an unknown shell is told which there are', async () => {
  const { exitCode, problem } = await runProgram(['completion', 'bsh'], { cwd });
  expect(exitCode).toBe(2);
  expect(problem?.hint).toMatch(/^Did you mean bash/);
});
