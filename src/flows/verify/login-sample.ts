/** Tests whether users of a sample can sign in at the target with their passwords. */
import { parse } from 'csv-parse/sync';
import { callIfAllowed, search, type Client } from '../../api/client.ts';
import { ifRefused } from '../../api/api-error.ts';
import { IdportError, UsageError } from '../../errors.ts';
import { createSessionResponse } from '../../wire/sign-in.ts';
import { listUsersV2Response } from '../../wire/user.ts';
import { findByName, readSignInMethods, type FoundUser } from '../reconcile/find-users.ts';
import { concernsAll } from './details.ts';

interface Credential {
  readonly userName: string;
  readonly password: string;
}

/** Parses CSV of user name and password, with or without a header line. A `UsageError` does not quote rows. */
export function parseLoginSample(name: string, text: string): Credential[] {
  const refuse = (problem: string) =>
    new UsageError(
      `--login-sample ${name}: ${problem}`,
      'Write one user,password a line; put a password with a comma or a quote in quotes.',
    );
  let rows: string[][];
  try {
    rows = parse(text, { skip_empty_lines: true, bom: true, relax_column_count: true });
  } catch {
    throw refuse('it is not CSV');
  }
  const credentials = rows.flatMap(([userName = '', password = ''], index) => {
    if (index === 0 && /^(?:user|user_?name|login)$/i.test(userName.trim())) return [];
    if (userName.trim() === '' || password === '')
      throw refuse(`row ${index + 1} has no user or no password`);
    return [{ userName: userName.trim(), password }];
  });
  if (credentials.length > 0) return credentials;
  throw refuse('it is empty');
}

/** Tries each login once, so that no user is locked out. Throws errors that do not concern one user. */
export async function* tryLogins(
  client: Client,
  orgs: readonly string[],
  credentials: readonly Credential[],
) {
  for (const { userName, password } of credentials) {
    const found = await findByName(client, orgs, userName);
    if (found === undefined) {
      const method = 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE';
      const queries = [{ emailQuery: { emailAddress: userName, method } }];
      const listed = await callIfAllowed(client, search('/v2/users', { queries }, listUsersV2Response));
      const addresses =
        listed?.result.map(({ username }) => `; it is the email address of ${username}`) ?? [];
      yield { userName, succeeded: false, detail: `no user has this user name${addresses.join('')}` };
      continue;
    }
    const problem = await signIn(client, found.id, password);
    const detail = problem ?? (await secondFactors(client, found));
    yield { userName, succeeded: problem === undefined, detail };
  }
}

/** Returns why the service refuses the login, or undefined if it succeeds. Throws errors that do not concern this user. */
async function signIn(client: Client, userId: string, password: string) {
  const end = await client.attempt({
    method: 'POST',
    path: '/v2/sessions',
    body: { checks: { user: { userId }, password: { password } } },
    answer: createSessionResponse,
  });
  if (end.ok) return undefined;
  const { status, id, code, message } = end.error;
  if (concernsAll(end.error)) {
    throw new IdportError(
      code,
      message,
      'A login sample takes a token that may open sessions (session.write): the role IAM_LOGIN_CLIENT or IAM_OWNER in the default settings of the instance, under Managers.',
      end.error,
    );
  }
  // A stored hash that no verifier can read gives a 500 with an id of its own.
  if ((status === 400 || status === 404 || id === 'COMMAND-CahN2') && id !== undefined) return end.error.text;
  throw end.error;
}

const factorNames: Readonly<Record<string, string>> = {
  AUTHENTICATION_METHOD_TYPE_TOTP: 'TOTP',
  AUTHENTICATION_METHOD_TYPE_U2F: 'security key',
  AUTHENTICATION_METHOD_TYPE_OTP_SMS: 'code by SMS',
  AUTHENTICATION_METHOD_TYPE_OTP_EMAIL: 'code by email',
};

/** The session proves only the password. Returns an empty text if the service knows of no second factor. */
async function secondFactors(client: Client, { id, org }: FoundUser) {
  // Older services do not have the call.
  const methods = await readSignInMethods(client, id, org).catch(ifRefused(() => []));
  const factors = methods.flatMap((method) => factorNames[String(method)] ?? []);
  return factors.length === 0
    ? ''
    : `the password is right; the login also asks for a second factor (${factors.join(', ')})`;
}
