import { settable, sharedFlags, verbsWithSettings } from '../../../src/cli/shape.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeOfProgram } from '../../support/tree.ts';
import { UsageError } from '../../../src/errors.ts';
import { parseConfig, jsonSchemaOf } from '../../../src/cli/config/read.ts';

const program = shapeOfProgram();

/** What it is refused with; undefined where it is taken. */
function complaint(text: string) {
  try {
    parseConfig(text, 'c.json', program);
    return undefined;
  } catch (error) {
    return error;
  }
}

function refusal(text: string) {
  const error = complaint(text);
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}

describe('a configuration file', () => {
  it.each([
    '{}',
    '{"$schema":"anything"}',
    '{"shared":{"url":"https://a.example","org":"1","max-emails":3,"quiet":true}}',
    '{"verbs":{"migrate keycloak":{"realm":"a.json","disabled":"skip"},"verify":{"export":false}}}',
    '{"verbs":{"migrate auth0":{"users":["a","b"],"email-verified":true},"serve":{"port":8080}}}',
    '{"verbs":{"actions target create":{"key-file":"k.json","call":true}}}',
  ])('%s is accepted unchanged', (text) => {
    expect(parseConfig(text, 'c.json', program)).toEqual(JSON.parse(text));
  });

  it.each([
    ['', 'c.json:1:1: a configuration file is JSON, and this is not: '],
    ['{"shared":\n  {"org":"1",}}', 'c.json:2:14: a configuration file is JSON, and this is not: '],
    ['[]', 'c.json: an object is expected'],
    ['{"shared":{"org":"1","url":"org","org":"2"}}', 'c.json: one object has "org" twice'],
    [
      '{"verbs":{"check":{"disabled":"skp"}}}',
      'c.json: verbs.check.disabled: one of keep, skip, active is expected',
    ],
    ['{"verbs":{"check":{"org":1}}}', 'c.json: verbs.check.org: a text in quotes is expected'],
    ['{"verbs":{"check":{"realm":[]}}}', 'c.json: verbs.check.realm: one text or more is expected'],
    [
      '{"verbs":{"check":{"realm":7}}}',
      'c.json: verbs.check.realm: a text in quotes or a list of texts is expected',
    ],
    ['{"verbs":{"import":{"resume":"yes"}}}', 'c.json: verbs.import.resume: true or false is expected'],
    [
      '{"verbs":{"migrate keycloak":{"org":1}}}',
      'c.json: verbs["migrate keycloak"].org: a text in quotes is expected',
    ],
  ])('%s is refused in one line', (text, message) => {
    expect(refusal(text).message).toContain(message);
  });

  it.each([
    ['{"shared":{"ulr":"x"}}', 'shared.ulr is not a setting', 'Did you mean url?'],
    [
      '{"verbs":{"check":{"targetProfile":"x"}}}',
      'verbs.check.targetProfile is not a setting',
      'Did you mean target-profile?',
    ],
    ['{"verbs":{"check":{"--org":"x"}}}', 'verbs.check.--org is not a setting', 'Did you mean org?'],
    ['{"verbs":{"chek":{}}}', 'verbs.chek is not a verb', 'Did you mean check?'],
    ['{"verbs":{"keycloak":{}}}', 'verbs.keycloak is not a verb', 'Did you mean migrate keycloak?'],
    ['{"tokenFile":"x"}', 'tokenFile is not a setting', 'Did you mean shared.token-file?'],
    ['{"verbs":{"undo":{"yes":"3"}}}', 'verbs.undo.yes is not a setting', 'There are: journal, '],
    ['{"shared":{"timeout":"3m"}}', 'shared.timeout is not a setting', 'There are: target-profile, '],
  ])('%s has an unknown name, with a suggestion', (text, message, hint) => {
    const refused = refusal(text);
    expect(refused.message).toContain(message);
    expect(`${refused.message} ${refused.hint}`).toContain(hint);
  });

  it.each(['token', 'password', 'access-token', 'client_secret', 'clientSecret', 'IDPORT_TOKEN'])(
    'with a secret as %s is refused first, without showing it',
    (name) => {
      for (const text of [
        `{"nonsense":1,"shared":{"${name}":"open-sesame"}}`,
        `{"verbs":{"check":{"nonsense":1,"${name}":"open-sesame"}}}`,
        `{"${name}":"open-sesame"}`,
      ]) {
        const { message, hint } = refusal(text);
        expect(message).toContain(`${name} would be a secret, which this file must not hold`);
        expect(hint).toContain('token-file');
        expect(`${message} ${hint}`).not.toContain('sesame');
      }
    },
  );

  it('of any JSON is accepted or refused without showing a value', () => {
    const secret = 'c4f3b4b3c4f3';
    const value = fc.oneof(
      fc.constant(secret),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constant([secret]),
    );
    const flags = fc.dictionary(
      fc.constantFrom('org', 'realm', 'ulr', 'disabled', 'resume', 'toString'),
      value,
    );
    const verbs = fc.dictionary(
      fc.constantFrom('check', 'import', 'migrate', '__proto__'),
      fc.oneof(flags, value),
    );
    const file = fc.record(
      { shared: fc.oneof(flags, value), verbs: fc.oneof(verbs, value), other: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(file, (content) => {
        const error = complaint(JSON.stringify(content));
        const { message, hint } = (error ?? {}) as Partial<UsageError>;
        expect(error === undefined || error instanceof UsageError).toBe(true);
        expect(`${message ?? ''} ${hint ?? ''}`).not.toMatch(`undefined|${secret}`);
      }),
    );
  });
});

interface Objects {
  readonly additionalProperties: boolean;
  readonly properties: Readonly<Record<string, Objects>>;
}

it('the published schema has exactly the settings of a configuration file', () => {
  const { properties, additionalProperties } = JSON.parse(jsonSchemaOf(program)) as Objects;
  expect(additionalProperties).toBe(false);
  expect(Object.keys(properties['shared']?.properties ?? {})).toEqual([...sharedFlags(program).keys()]);
  for (const verb of verbsWithSettings(program)) {
    const own = properties['verbs']?.properties[verb.name];
    expect(Object.keys(own?.properties ?? {})).toEqual(settable(verb).map(({ name }) => name));
    expect(own?.additionalProperties).toBe(false);
  }
});
