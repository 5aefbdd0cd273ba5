/** A workspace with users who have no password at the service, the receiver of their first logins, and how they log in. */
import { createHash } from 'node:crypto';
import type { ServiceUser } from '../../src/flows/jit/service.ts';
import { encodeListedUser, type ListedUser } from '../../src/flows/jit/user-list.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { SourceForm } from '../../src/records/hash-forms/form.ts';
import { signatureHeader, signBody } from '../../src/wire/signature.ts';
import type { TargetProfile } from '../../src/wire/profile.ts';
import { openWorkspace, type Started } from './workspace.ts';
import { answerHere } from './local-server.ts';

export type JitWorkspace = Awaited<ReturnType<typeof openJitWorkspace>>;

const defaults = ['--listen 127.0.0.1:0', '--answer-within 50s', '--verifier-timeout 40s'];
export const keyFlag = '--signing-key-file jit.key';

export async function openJitWorkspace(profile?: TargetProfile) {
  const workspace = await openWorkspace({
    allowPrivateTargets: true,
    ...(profile !== undefined && { profile }),
  });
  const { call, write } = workspace;
  return {
    ...workspace,
    /** Creates a user with this id and user name, and without a password unless `more` has one. */
    addUser: async (name: string, more: object = {}) => {
      const { status, body } = await call('POST /v2/users/human', {
        userId: name,
        username: name,
        organization: { orgId: workspace.server.orgId },
        profile: { givenName: 'A', familyName: 'B' },
        email: { email: `${name}@example.org`, isVerified: true },
        ...more,
      });
      if (status > 201) throw new Error(JSON.stringify(body));
    },
    /** In one step; resolves to the status. */
    logIn: async (loginName: string, password = oldPassword) => {
      const checks = { user: { loginName }, password: { password } };
      return (await call('POST /v2/sessions', { checks })).status;
    },
    /** The user first, then the password. */
    logInByTwoSteps: async (loginName: string, password = oldPassword) => {
      const first = await call('POST /v2/sessions', { checks: { user: { loginName } } });
      const checks = { password: { password } };
      return (await call(`PATCH /v2/sessions/${first.body.sessionId}`, { checks })).status;
    },
    /** Names of the ways in which a user can sign in. */
    methodsOf: async (id: string) => {
      const { body } = await call(`GET /v2/users/${encodeURIComponent(id)}/authentication_methods`);
      const types: readonly string[] = body.authMethodTypes ?? [];
      return types.map((name) => name.replace('AUTHENTICATION_METHOD_TYPE_', ''));
    },
    /** Writes `jit.ndjson`. */
    writeList: (users: readonly ListedUser[]) => write('jit.ndjson', users.map(encodeListedUser).join('')),
    /** Writes `http.json`, for `--verifier http:http.json`. */
    writeHttp: (url: string) => write('http.json', { url, signingKey: 'a-key-of-the-operator' }),
    /** `jit serve` with the key in `jit.key`. It waits long: a busy machine may take its time. */
    serve: (flags: string, clock?: Clock) => {
      const others = defaults.filter((flag) => !flags.includes(flag.split(' ')[0]!));
      return workspace.start(`jit serve ${others.join(' ')} ${keyFlag} ${flags}`, clock);
    },
    /** `jit try` with Alice, who is on the list. */
    tryAlice: (flags = '', password = oldPassword) =>
      workspace.run(`jit try --user alice --verifier hashes:jit.ndjson${flags}`, { stdin: `${password}\n` }),
    /** `jit setup` for a receiver at this address, with the same key. */
    setUp: (url: string, flags = '') =>
      workspace.run(`jit setup --timeout 60s --endpoint ${url} ${keyFlag} ${flags}`.trim()),
  };
}

/** The receiver is at work for these users, whose list it has. */
export async function serveListed(
  names: readonly string[] = ['alice'],
  { flags = '', clock }: { readonly flags?: string; readonly clock?: Clock } = {},
) {
  const workspace = await openJitWorkspace();
  for (const name of names) await workspace.addUser(name);
  workspace.writeList(names.map(listed));
  const receiver = await workspace.serve(`--verifier hashes:jit.ndjson ${flags}`.trim(), clock);
  await workspace.setUp(receiver.url);
  return { ...workspace, receiver };
}

/** A call of the service to a receiver, signed as of a time in milliseconds. */
export function sendSigned(url: string, call: object, key: string, at = Date.now()) {
  const body = JSON.stringify(call);
  const headers = { [signatureHeader]: signBody(body, key, at / 1000) };
  return fetch(url, { method: 'POST', body, headers });
}

/** How many logins had this outcome. */
export const countOf = ({ out }: Started, outcome: string) =>
  out().split(`"outcome":"${outcome}"`).length - 1;

export const oldPassword = 'Old-Secret-1';
export const listed = (id: string): ListedUser => ({ id, userName: id, form: sha256Form(oldPassword) });

/** A form that no hash string of the target has. */
export function sha256Form(password: string): SourceForm {
  const expected = createHash('sha256').update(password).digest('base64');
  return { kind: 'digest', expected, of: { digest: 'sha256', of: 'password' } };
}

export const serviceUser = (id: string, userName = id): ServiceUser => ({
  id,
  userName,
  orgId: '1',
  loginName: userName,
  email: '',
  isActive: true,
  created: '',
  passwordChanged: '',
});

/** A promise that a test settles. */
export function defer<Value = void>() {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<Value>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}

/** Says whether this is the password of the user. Resolves to its address. */
export async function startOldSystem(isRight: (user: string, password: string) => boolean) {
  const url = await answerHere(async ({ body }) => {
    const { userName, password } = JSON.parse(body);
    return [200, { result: isRight(userName, password) ? 'right' : 'wrong' }];
  });
  return `${url}/own`;
}
