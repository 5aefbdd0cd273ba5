import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { createHastyClock } from '../support/hasty-clock.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';
import { hash } from '../support/rich-org.ts';

/** IDPORT_USERS=200000 makes a long run of it. */
const users = Number(process.env['IDPORT_USERS'] ?? 4000);

let cwd: string;
let instance: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(cwd, 'to', { orgId: '100' });
});
afterEach(() => instance.close());

/** What every so-many-th user has wrong with it, and what becomes of such users. */
const troubles = {
  nameless: { every: 101, code: 'import:field-rule' },
  'email that the service refuses': { every: 103, code: 'import:refused' },
  'hash out of limits': { every: 107, code: 'import:hash-refused' },
  'same id as a user before': { every: 109, code: 'user-skipped:duplicate-id' },
  'same user name as a user before': { every: 113, code: 'import:name-taken' },
} as const;
type Trouble = keyof typeof troubles;

/** The first in the list where several would hit one user; the first hundred have none. */
function troubleOf(i: number): Trouble | undefined {
  if (i < 100) return undefined;
  return (Object.keys(troubles) as Trouble[]).find((name) => i % troubles[name].every === 0);
}

function sampleUser(i: number): Record<string, unknown> {
  const trouble = troubleOf(i);
  const id = trouble === 'same id as a user before' ? `id-${i % 100}` : `id-${i}`;
  return {
    userId: id,
    user: {
      userName: trouble === 'same user name as a user before' ? `USER-${i % 100}` : `user-${i}`,
      profile: { firstName: 'Ada', lastName: trouble === 'nameless' ? '' : `Number ${i}` },
      email: {
        email: trouble === 'email that the service refuses' ? 'no user at all' : `${i}@acme.example`,
        isEmailVerified: true,
      },
      hashedPassword: { value: trouble === 'hash out of limits' ? hash.replace('$10$', '$04$') : hash },
    },
  };
}

function* body(): Generator<string> {
  yield '{"dataOrgs":{"orgs":[{"orgId":"100","humanUsers":[';
  for (let i = 0; i < users; i++) yield `${i === 0 ? '' : ','}${JSON.stringify(sampleUser(i))}`;
  yield ']}]},"timeout":"30m0s"}';
}

it(
  `a body of ${users} users with trouble of all kinds ends with exact counts`,
  async () => {
    await pipeline(Readable.from(body()), createWriteStream(join(cwd, 'body.json')));
    const expected = new Map<string, number>();
    for (let i = 0; i < users; i++) {
      const trouble = troubleOf(i);
      const code = trouble === undefined ? 'created' : troubles[trouble].code;
      expected.set(code, (expected.get(code) ?? 0) + 1);
    }
    const { events, exitCode, problem } = await runProgram(['import', 'body.json', ...instance.flags], {
      cwd,
      clock: createHastyClock(),
    });
    expect([problem, exitCode]).toEqual([undefined, 3]);
    const end = events.find((event) => event.type === 'import:end');
    const [counts] = end?.lists ?? [];
    const rejected = expected.get('import:field-rule') ?? 0;
    const created = expected.get('created') ?? 0;
    expect(counts).toEqual({
      list: 'humanUsers',
      total: users,
      created,
      existed: 0,
      failed: users - created - rejected,
      rejected,
    });
    for (const { code, count } of end?.reasons ?? [])
      expect([code, count]).toEqual([code, expected.get(code)]);
    const { store } = instance.server.state;
    let there = 0;
    for (let i = 0; i < users; i++) if (store.users.has(`id-${i}`)) there += 1;
    expect(there).toBe(created);
  },
  60_000 + users * 3,
);
