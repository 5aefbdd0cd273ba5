import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { loadProfile } from '../../src/profiles/load.ts';
import { parseProfile } from '../../src/profiles/parse.ts';
import { verifierNames } from '../../src/records/mcf/algorithm.ts';
import { targetProfileSchema } from '../../src/wire/profile.ts';
import { createTestFolder } from '../support/folder.ts';

describe('the built-in profiles', () => {
  test.each([...builtInProfiles])('%s fits the schema', (name, profile) => {
    expect(targetProfileSchema.parse(profile)).toEqual(profile);
    expect(profile.name).toBe(name);
  });

  it('have every verifier between them', () => {
    expect(builtInProfiles.get('all-verifiers')?.passwordHasher.verifiers).toEqual([...verifierNames]);
  });

  it('have the limits of the vendor for cloud', () => {
    const hosted = builtInProfiles.get('hosted');
    expect(hosted?.passwordHasher.verifiers).not.toContain('argon2');
    expect(hosted?.requests).toMatchObject({ maxBytes: 4 * 1024 ** 2, maxUsers: 5000, maxSeconds: 300 });
    expect(hosted?.rate).toMatchObject({ perSecond: 50, windowSeconds: 60, clientPerSecond: 45 });
    expect(builtInProfiles.get('self-hosted')?.rate).toBeNull();
  });
});

describe('a profile file', () => {
  let folder = '';
  beforeEach(() => {
    folder = createTestFolder();
  });

  it('may have the output of `profile show`', () => {
    for (const profile of builtInProfiles.values()) {
      expect(parseProfile(JSON.stringify(profile), 'target.json')).toEqual(profile);
    }
  });

  it('may have only the differences from a base', async () => {
    await writeFile(
      join(folder, 'target.json'),
      '\ufeff{"base":"hosted","passwordHasher":{"verifiers":["argon2"],"limits":{"argon2":{"minMemory":7168}}}}',
    );
    const hosted = builtInProfiles.get('hosted');
    const loaded = await loadProfile('target.json', folder);
    expect(loaded.name).toBe('target.json');
    expect(loaded.passwordHasher.verifiers).toEqual(['argon2']);
    expect(loaded.passwordHasher.limits.argon2).toEqual({
      ...hosted?.passwordHasher.limits.argon2,
      minMemory: 7168,
    });
    expect(loaded.requests).toEqual(hosted?.requests);
  });

  it('has the base self-hosted by default', () => {
    expect(parseProfile('{"name":"mine"}', 'x.json')).toEqual({
      ...builtInProfiles.get('self-hosted'),
      name: 'mine',
    });
  });

  it('can remove the rate', () => {
    expect(parseProfile('{"base":"hosted","rate":null}', 'x.json').rate).toBeNull();
  });

  test.each([
    ['{', /x\.json: a target profile is JSON/],
    ['[]', /x\.json: /],
    ['{"base":"moon"}', /base: there is no profile "moon"/],
    ['{"passwordHasher":{"verifiers":["md6"]}}', /passwordHasher\.verifiers\.0/],
    ['{"pasword":{}}', /pasword/],
    ['{"passwordHasher":{"limits":{"bcrypt":{"minCost":"10"}}}}', /passwordHasher\.limits\.bcrypt\.minCost/],
    ['{"passwordHasher":{"limits":{"bcrypt":{"minCost":20}}}}', /minCost: 20 is above the maximum of 16/],
  ])('that is %s is refused with its place', (text, message) => {
    expect(() => parseProfile(text, 'x.json')).toThrow(UsageError);
    expect(() => parseProfile(text, 'x.json')).toThrow(message);
  });

  it('that is missing is refused with the known names', async () => {
    await expect(loadProfile('hostd', folder)).rejects.toMatchObject({
      message: 'no target profile and no readable file is named hostd',
      hint: expect.stringContaining('hosted, self-hosted, all-verifiers'),
    });
  });
});
