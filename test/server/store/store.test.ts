/** The state: ids, names, indexes, what one store dumps another takes. */
import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/server/store/table.ts';
import type { UserRow } from '../../../src/server/store/rows.ts';
import { createStore } from '../../../src/server/store/store.ts';
import { createFakeClock } from '../../support/clock.ts';
import { createTestServer } from '../../support/full-server.ts';

const store = () => createStore(createFakeClock());
const user = (id: string, changes: Partial<UserRow> = {}): UserRow => ({
  ...createTestServer().state.store.users.values()[Symbol.iterator]().next().value!,
  id,
  userName: id,
  ...changes,
});

describe('ids', () => {
  it('have 18 digits, grow and never repeat, even when time stands still', () => {
    const state = store();
    const ids = Array.from({ length: 100_000 }, () => state.nextId());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^\d{18}$/.test(id))).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe('users', () => {
  it('are found by name in any case, several of one name, too', () => {
    const { users } = store();
    users.put(user('a', { userName: 'Same' }));
    users.put(user('b', { userName: 'sAME' }));
    expect(users.by('name', 'same').map((each) => each.id)).toEqual(['a', 'b']);
    users.delete('a');
    expect(users.by('name', 'same').map((each) => each.id)).toEqual(['b']);
    users.put({ ...users.get('b')!, userName: 'other' });
    expect(users.by('name', 'same')).toEqual([]);
  });
});

describe('dump and apply', () => {
  it('carry everything from one store to another, through JSON', async () => {
    const server = createTestServer();
    const body = {
      userName: 'ada',
      profile: { firstName: 'A', lastName: 'L' },
      email: { email: 'a@b.c' },
      idps: [],
      phone: { phone: '+41791234567' },
    };
    await server.call('POST /management/v1/users/human/_import', body);
    const copy = store();
    for (const change of server.state.store.dump()) copy.apply(JSON.parse(JSON.stringify(change)) as Change);
    expect([...copy.dump()].map((change) => JSON.stringify(change))).toEqual(
      [...server.state.store.dump()].map((change) => JSON.stringify(change)),
    );
    expect(copy.users.by('name', 'ada')).toHaveLength(1);
    expect(copy.instance.instanceId).toBe(server.instanceId);
  });

  it('tells a listener of every change', () => {
    const state = store();
    const heard: string[] = [];
    state.listen((change) =>
      heard.push(`${change.table} ${change.id} ${change.row === undefined ? 'gone' : 'put'}`),
    );
    state.users.put(user('a'));
    state.users.delete('a');
    expect(heard).toEqual(['users a put', 'users a gone']);
  });
});
