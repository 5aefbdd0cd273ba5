/** A reference server, users without a password there, and the `jit` commands against it. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ExitCode } from '../../src/errors.ts';
import { encodeListedUser, type ListedUser } from '../../src/flows/jit/user-list.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { SourceForm } from '../../src/records/hash-forms/form.ts';
import type { TargetProfile } from '../../src/wire/profile.ts';
import { parseCommand } from './argv.ts';
import { createTestContext, type TestContext } from './context.ts';
import { createTestFolder } from './folder.ts';
import { startInstance } from './instance.ts';

export interface JitService {
  readonly url: string;
  /** Of the instance owner. */
  readonly token: string;
  readonly cwd: string;
  readonly orgId: string;
  /** Creates a user with this id and user name, and without a password unless `more` has one. */
  readonly addUser: (name: string, more?: object) => Promise<void>;
  readonly call: (route: string, body?: unknown) => Promise<{ status: number; body: any }>;
  /** In one step. */
  readonly logIn: (loginName: string, password: string) => Promise<{ status: number; body: any }>;
  /** The user first, then the password. */
  readonly logInByTwoSteps: (loginName: string, password: string) => Promise<{ status: number; body: any }>;
  /** Both wait long: a busy machine may take its time. */
  readonly run: (args: readonly string[], stdin?: string) => Promise<TestContext & { exitCode: ExitCode }>;
  readonly serve: (
    args: readonly string[],
    clock?: Clock,
  ) => Promise<TestContext & { url: string; stop: () => Promise<ExitCode> }>;
}

export async function startJitService(profile?: TargetProfile): Promise<JitService> {
  const cwd = createTestFolder();
  const instance = await startInstance(cwd, 'owner', {
    allowPrivateTargets: true,
    ...(profile === undefined ? {} : { profile }),
  });
  onTestFinished(() => instance.close());
  const { url, server } = instance;
  const env = { IDPORT_URL: url, IDPORT_TOKEN: server.tokens.iamOwner };
  const call: JitService['call'] = async (route, body) => {
    const [method = '', path = ''] = route.split(' ');
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${server.tokens.iamOwner}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    url,
    token: server.tokens.iamOwner,
    cwd,
    orgId: server.orgId,
    call,
    async addUser(name, more = {}) {
      const { status, body } = await call('POST /v2/users/human', {
        userId: name,
        username: name,
        organization: { orgId: server.orgId },
        profile: { givenName: 'A', familyName: 'B' },
        email: { email: `${name}@example.org`, isVerified: true },
        ...more,
      });
      if (status > 201) throw new Error(JSON.stringify(body));
    },
    logIn: (loginName, password) =>
      call('POST /v2/sessions', { checks: { user: { loginName }, password: { password } } }),
    async logInByTwoSteps(loginName, password) {
      const first = await call('POST /v2/sessions', { checks: { user: { loginName } } });
      return call(`PATCH /v2/sessions/${first.body.sessionId}`, { checks: { password: { password } } });
    },
    async run(args, stdin) {
      const test = createTestContext({
        cwd,
        clock: systemClock,
        env,
        ...(stdin === undefined ? {} : { stdin }),
      });
      const patience = args[0] === 'setup' ? ['--timeout', '60s'] : [];
      const { action, options } = await parseCommand(['jit', ...args, ...patience]);
      return { ...test, exitCode: await action(options, test.context) };
    },
    async serve(args, clock = systemClock) {
      const test = createTestContext({ cwd, clock, env });
      const patience = ['--answer-within', '50s', '--verifier-timeout', '40s'];
      const words = ['jit', 'serve', '--listen', '127.0.0.1:0', ...patience, ...args];
      const { action, options } = await parseCommand(words);
      const ended = action(options, test.context);
      const [, listening = ''] = await Promise.race([
        test.outputMatching(/"listening","url":"([^"]+)"/),
        ended.then((code) => {
          throw new Error(`it ended with ${code}`);
        }),
      ]);
      const stop = (): Promise<ExitCode> => {
        test.interrupt();
        return ended;
      };
      onTestFinished(async () => {
        await stop();
      });
      return { ...test, url: listening, stop };
    },
  };
}

/** A form that no hash string of the target has. */
export function sha256Form(password: string): SourceForm {
  const expected = createHash('sha256').update(password).digest('base64');
  return { kind: 'digest', expected, of: { digest: 'sha256', of: 'password' } };
}

export function writeUserList(cwd: string, users: readonly ListedUser[]): string {
  const path = join(cwd, 'jit.ndjson');
  writeFileSync(path, users.map(encodeListedUser).join(''), { mode: 0o600 });
  return path;
}
