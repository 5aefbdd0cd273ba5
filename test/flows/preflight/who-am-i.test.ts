import { expect, it } from 'vitest';
import type { Client } from '../../../src/api/client.ts';
import { whoAmI } from '../../../src/flows/preflight/who-am-i.ts';

/** Answers as the schemas of the client read them. */
const answering = (answer: object) =>
  ({
    url: 'https://id.example',
    call: async ({ answer: schema }: { answer: { parse(value: unknown): unknown } }) => schema.parse(answer),
  }) as unknown as Client;

it.each([{}, { user: {} }, { user: { id: '' } }])('whoAmI refuses an answer like %j', async (answer) => {
  await expect(whoAmI(answering(answer))).rejects.toMatchObject({ code: 'token:no-user' });
});
