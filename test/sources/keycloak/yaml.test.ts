import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { walk } from '../../../src/sources/keycloak/form.ts';
import { blocksOf } from '../../support/memory-input.ts';

async function readUsers(text: string) {
  const users: unknown[] = [];
  for await (const { elements } of walk('realm.yaml', blocksOf(text), 'yaml')) {
    if (elements?.form === 'values') users.push(...elements.values);
  }
  return users;
}

describe('a realm as YAML', () => {
  const warn = vi.spyOn(process, 'emitWarning');
  beforeEach(() => void warn.mockReset());
  afterEach(() => {
    warn.mockRestore();
  });

  it('resolves an alias that repeats a user', async () => {
    await expect(readUsers('realm: x\nusers: [&a {username: ada}, *a]\n')).resolves.toEqual([
      { username: 'ada' },
      { username: 'ada' },
    ]);
  });

  const bomb = Array.from({ length: 12 }, (_, at) => {
    const before = at === 0 ? 'x' : `*a${at - 1}`;
    return `b${at}: &a${at} [${Array<string>(9).fill(before).join(',')}]\n`;
  });
  it.each([
    ['that leads nowhere', 'realm: x\nusers: [*secret]\n'],
    ['that makes far too much of little', `realm: x\n${bomb.join('')}`],
    ['merged that is not a map', '%YAML 1.1\n---\nrealm: x\nsecret: &a [secret]\nusers: [{<<: *a}]\n'],
  ])('refuses an alias %s in one line without secrets', async (_, text) => {
    const refused = readUsers(text);
    await expect(refused).rejects.toMatchObject({ name: 'InputError', code: 'input:syntax' });
    await expect(refused).rejects.toThrow(
      /^realm\.yaml: its aliases .* are undefined, not maps, or expand too far/,
    );
    await expect(refused).rejects.not.toThrow('secret');
  });

  it('suppresses warnings of the library that quote secrets', async () => {
    await expect(readUsers('realm: x\nusers: [{? {secret: 1} : 2}]\n')).resolves.toHaveLength(1);
    expect(warn).not.toHaveBeenCalled();
  });
});
