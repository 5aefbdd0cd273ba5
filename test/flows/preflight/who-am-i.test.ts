import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/api/client.ts';
import { whoAmI } from '../../../src/flows/preflight/who-am-i.ts';

/** Answers as the schemas of the client read them. */
const answering = (user: unknown): Client =>
  ({
    url: 'https://id.example',
    call: ({ answer }: { answer: { parse(value: unknown): unknown } }) =>
      Promise.resolve(answer.parse(user === undefined ? {} : { user })),
  }) as unknown as Client;

describe('whose token it is', () => {
  it.each([
    ['nothing', undefined],
    ['a user without an id', {}],
    ['a user with an empty id', { id: '' }],
  ])('is not known where the response names %s', async (_, user) => {
    await expect(whoAmI(answering(user))).rejects.toMatchObject({ code: 'token:no-user' });
  });

  it('is the user that the response names', async () => {
    expect(await whoAmI(answering({ id: '1', userName: 'a' }))).toMatchObject({ userId: '1', userName: 'a' });
  });
});
