/** A table of user names and passwords in; who can sign in with them at the target out. */
import { parse } from 'csv-parse/sync';
import type { Client } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import { createSessionResponse } from '../../wire/session.ts';
import { findPeople } from '../import/look-up.ts';
import type { VerifyLine } from './verify.ts';

export interface Login {
  readonly userName: string;
  readonly password: string;
}

/** Two columns, user name and password, with or without a line of titles. Throws `UsageError` without the row's text. */
export function parseLoginSample(name: string, text: string): Login[] {
  let rows: string[][];
  try {
    rows = parse(text, { skip_empty_lines: true, bom: true, relax_column_count: true });
  } catch {
    throw new UsageError(`--login-sample ${name}: it is not CSV`, {
      hint: 'Write one user,password a line.',
    });
  }
  return rows.flatMap(([userName = '', password = ''], index) => {
    if (index === 0 && /^(?:user|user_?name|login)$/i.test(userName.trim())) return [];
    if (userName.trim() === '' || password === '') {
      throw new UsageError(`--login-sample ${name}: row ${index + 1} has no user or no password`);
    }
    return [{ userName: userName.trim(), password }];
  });
}

/** Each is tried once, so that nobody is locked for it. Returns how many could not sign in. */
export async function proveLogins(
  client: Client,
  orgs: readonly string[],
  logins: readonly Login[],
  print: (line: VerifyLine) => Promise<void>,
): Promise<number> {
  let refused = 0;
  for (const { userName, password } of logins) {
    const id = await findId(client, orgs, userName);
    const problem = id === undefined ? 'nobody of this name' : await signIn(client, id, password);
    if (problem === undefined) {
      await print({ sign: '=', id: id ?? '', userName, detail: 'signs in' });
      continue;
    }
    refused += 1;
    await print({ sign: id === undefined ? '-' : '*', id: id ?? '', userName, detail: `login: ${problem}` });
  }
  return refused;
}

async function findId(
  client: Client,
  orgs: readonly string[],
  userName: string,
): Promise<string | undefined> {
  for (const org of orgs) {
    const found = await findPeople(client, org, [{ id: '', userName }]);
    const user = found.get(0);
    if (user !== undefined) return user.id;
  }
  return undefined;
}

/** What the service says against it; throws where it is not about this person. */
async function signIn(client: Client, userId: string, password: string): Promise<string | undefined> {
  const end = await client.attempt({
    method: 'POST',
    path: '/v2/sessions',
    body: { checks: { user: { userId }, password: { password } } },
    repeat: 'unsafe',
    answer: createSessionResponse,
  });
  if (end.ok) return undefined;
  const { status, id } = end.error;
  if ((status === 400 || status === 404) && id !== undefined) return end.error.text;
  throw end.error;
}
