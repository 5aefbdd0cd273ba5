import { describe, expect, it } from 'vitest';
import { namedFlags, withoutAdviceOn } from '../../src/lib/strings.ts';
import { reasons, type Reason } from '../../src/records/reasons.ts';
import { foreignFlags, wrongCommands } from '../support/advice.ts';
import { shapeOfProgram } from '../support/tree.ts';

const program = shapeOfProgram();
const conversions = ['migrate keycloak', 'migrate auth0', 'check', 'import-users'];

/** Which verbs can say what; the first row that fits counts. */
const sayers: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^org:/, ['migrate keycloak', 'migrate auth0']],
  [/^single:/, ['import-users']],
  [/^import:/, ['import', 'copy', 'import-users']],
  [/^user-skipped:duplicate-id$/, [...conversions, 'import', 'copy']],
  [/^user-skipped:service-account$/, ['migrate keycloak', 'check', 'import-users']],
  [/^user-skipped:(not-chosen|gone|left)$|^delta:/, ['import-users']],
  [/^duplicate:renamed$/, ['migrate keycloak', 'migrate auth0', 'check']],
  [/./, conversions],
];

/** Choices that a verb shares with others and refuses all the same. */
const refusedChoices: Readonly<Record<string, RegExp>> = { 'import-users': /--duplicates=suffix/ };

describe.each(Object.entries<Reason>(reasons))('%s', (code, { outcome, cause, consequence, remedy }) => {
  const text = [cause, consequence, remedy].join(' ');
  const verbs = sayers.find(([pattern]) => pattern.test(code))![1];

  it.each(verbs)('names only flags of %s', (verb) => {
    expect(foreignFlags(text, program, verb)).toEqual([]);
    const spoken = text.replaceAll(/`idport [^`]*`/g, '');
    expect({ spoken, refused: refusedChoices[verb]?.test(spoken) ?? false }).toEqual({
      spoken,
      refused: false,
    });
  });

  it('names only valid commands', () => {
    expect(wrongCommands(text, program)).toEqual([]);
  });

  it('advises a run that has one of its flags', () => {
    for (const flag of remedy.match(namedFlags) ?? [])
      expect(withoutAdviceOn(remedy, new Set([flag])) ?? outcome).not.toMatch(/^Or |^rejected$/);
  });
});

it.each<keyof typeof reasons>([
  'password:algorithm-unsupported',
  'password:parameters-out-of-limits',
  'password:verifier-disabled',
  'password:unverifiable',
  'password:prehashed',
  'password:peppered',
  'password:encrypted-by-source',
  'password:not-given',
  'password:federated',
  'password:malformed',
])('the remedy of %s suggests idport jit', (code) => {
  expect(reasons[code].remedy).toContain('`idport jit`');
});
