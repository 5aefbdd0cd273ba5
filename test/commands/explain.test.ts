import { expect, it } from 'vitest';
import { explainAll } from '../../src/commands/explain.ts';
import { reasons } from '../../src/records/reasons.ts';
import { serviceErrors } from '../../src/wire/service-errors.ts';

import { runProgram } from '../support/workspace.ts';
import { filesBelow, readProject } from '../support/folder.ts';

const cwd = process.cwd();
const explain = (...argv: string[]) => runProgram(['explain', ...argv], { cwd });
/** As one line, wherever it was broken. */
const flat = (text: string) => text.replaceAll(/\s+/g, ' ');

/** Events, keys of tables and names of others. */
const notCodes =
  /^(?:(?:run|demo|record|file|node|org|organization|realm|salt|digest|rounds):|(?:undo|verify|export):end|login:tried|user:compared|host:port|key:role|role:editor|idport:(?:rejected|org))/;

it('idport explain prints the text of docs/reasons.md for a reason code', async () => {
  const { stdout, exitCode } = await explain('password:none');
  const { outcome, cause, consequence, remedy } = reasons['password:none'];
  expect(exitCode).toBe(0);
  expect(flat(stdout).trim()).toBe(
    `password:none (${outcome}) Cause: ${cause} Consequence: ${consequence} Remedy: ${remedy}`,
  );
  expect(readProject('docs/reasons.md')).toContain(
    `### password:none\n\n${cause}\n${consequence}\n${remedy}\n`,
  );
});

it('idport explain prints the text of docs/api-errors.md for an error id', async () => {
  const { stdout } = await explain('COMMAND-17e8fq1ggk');
  const [, remedy = '', cause = ''] =
    /\*\*(.*)\*\*\n\n- `COMMAND-17e8fq1ggk` \(404\): (.*)\n/.exec(readProject('docs/api-errors.md')) ?? [];
  expect(remedy).toContain('`idport actions target list`');
  expect(flat(stdout)).toContain(`${cause}. Consequence: `);
  expect(flat(stdout)).toContain(`Remedy: ${remedy}`);
});

it('idport explain knows every code in the source files', () => {
  const known = new Set(explainAll().map(({ code }) => code));
  expect([...known]).toEqual(expect.arrayContaining([...serviceErrors.keys()]));
  const files = filesBelow('src').filter((path) => path.endsWith('.ts'));
  const texts = files.map(readProject).join('');
  const named = Array.from(texts.matchAll(/'([a-z][a-z-]*:[a-z][a-z0-9-]*)'/g), ([, code]) => code!);
  const left = named.filter((code) => !known.has(code) && !notCodes.test(code));
  expect(named.length).toBeGreaterThan(500);
  expect(left).toEqual([]);
});

it.each([
  ['jit:no-journal', 'The file is not a journal of `idport jit serve`'],
  ['migrated-before', 'already has a password'],
  ['missing', 'missing at the target. For missing users, run the import again'],
  ['system:ENOSPC', 'the disk is full'],
])('idport explain explains %s', async (code, words) => {
  expect(flat((await explain(code)).stdout)).toContain(words);
});

it('idport explain explains a message key by each error id that uses it', async () => {
  const { stdout } = await explain('Errors.User.NotActive');
  expect(stdout).toMatch(/^SESSION-Gj4ko [^]*Unlock or reactivate the user[^]*\nCOMMAND-Df4b3 /);
});

it('idport explain tells where codes are listed if none is near', async () => {
  const { exitCode, problem } = await explain('qqqqqq');
  expect(exitCode).toBe(2);
  expect(problem?.hint).toBe('docs/reasons.md and docs/api-errors.md list all.');
});
