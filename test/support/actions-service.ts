/** A reference server on a socket and the `actions` commands against it, for one test. */
import { onTestFinished } from 'vitest';
import type { ExitCode } from '../../src/errors.ts';
import { createReferenceServer, type ReferenceServerOptions } from '../../src/server/index.ts';
import { createFakeClock } from './clock.ts';
import { createTestContext, type TestContext } from './context.ts';
import { createTestFolder } from './folder.ts';
import { parseCommand } from './argv.ts';

export interface ActionsService {
  readonly url: string;
  readonly token: string;
  /** Where all commands of the test run. */
  readonly cwd: string;
  /** Runs `idport actions <line>` as the owner of the instance; `line` is split at blanks. */
  readonly run: (line: string) => Promise<CommandEnd>;
  /** Starts `idport actions listen <line>`. */
  readonly listen: (line: string) => Promise<RunningListener>;
  /** All that the commands have written and emitted so far. */
  readonly spoken: () => string;
  /** One call of the service, with its answer as JSON. */
  readonly call: (route: string, body?: unknown) => Promise<{ status: number; body: any }>;
}

export interface CommandEnd extends TestContext {
  readonly exitCode: ExitCode;
}

export interface RunningListener extends TestContext {
  readonly url: string;
  readonly stop: () => Promise<ExitCode>;
  /** What it has shown so far. */
  readonly calls: () => any[];
}

/** Service and listeners share a clock that stands still; only timeouts of targets are real. */
export async function startActionsService(options: ReferenceServerOptions = {}): Promise<ActionsService> {
  const clock = createFakeClock();
  const server = createReferenceServer({ clock, profile: 'self-hosted', ...options });
  const { url } = await server.listen({ port: 0 });
  onTestFinished(() => server.close());
  const cwd = createTestFolder();
  const token = server.tokens.iamOwner;
  const contexts: TestContext[] = [];
  const createContext = (): TestContext => {
    const test = createTestContext({ cwd, clock, env });
    contexts.push(test);
    return test;
  };
  const env = { IDPORT_URL: url, IDPORT_TOKEN: token };

  return {
    url,
    token,
    cwd,
    async run(line) {
      const test = createContext();
      const { action, options } = await parseCommand(['actions', ...line.split(' ')]);
      const exitCode = await action(options, test.context);
      return { ...test, exitCode };
    },
    async listen(line) {
      const test = createContext();
      const { action, options } = await parseCommand([
        'actions',
        'listen',
        '--format',
        'json',
        ...line.split(' '),
      ]);
      const ended = action(options, test.context);
      const [, listening = ''] = await test.outputMatching(/"listening","url":"([^"]+)"/);
      const stop = (): Promise<ExitCode> => {
        test.interrupt();
        return ended;
      };
      onTestFinished(async () => {
        await stop();
      });
      return {
        ...test,
        url: listening,
        stop,
        calls: () =>
          test
            .out()
            .split('\n')
            .filter((text) => text.includes('"type":"call"'))
            .map((text) => JSON.parse(text) as unknown),
      };
    },
    spoken: () => contexts.map(({ out, events }) => out() + JSON.stringify(events)).join('\n'),
    async call(route, body) {
      const [method = '', path = ''] = route.split(' ');
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
  };
}
