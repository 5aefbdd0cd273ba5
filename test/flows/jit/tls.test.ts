/** TLS of the receiver: a renewed certificate is used without a restart. */
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { selfSigned } from '../../support/certificate.ts';
import { sha256Form, startJitService, writeUserList } from '../../support/jit.ts';

vi.mock(import('../../../src/workers/worker.ts'), async (original) => {
  const { startInlineWorker } = await import('../../support/inline-worker.ts');
  return { ...(await original()), startWorker: startInlineWorker };
});

/** Resolves to the status, or to the code of the error. */
function ask(url: string, ca: string): Promise<unknown> {
  return new Promise((resolve) => {
    get(`${url}healthz`, { ca, agent: false, servername: 'localhost' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

async function startWithFiles() {
  const service = await startJitService();
  writeUserList(service.cwd, [{ id: 'a', userName: 'a', form: sha256Form('p') }]);
  const write = ({ cert, key }: { cert: string; key: string }): void => {
    writeFileSync(join(service.cwd, 'tls.crt'), cert);
    writeFileSync(join(service.cwd, 'tls.key'), key, { mode: 0o600 });
  };
  const args =
    '--verifier hashes:jit.ndjson --signing-key-file jit.key --tls-cert tls.crt --tls-key tls.key'.split(' ');
  return { service, write, args };
}

it('takes a renewed certificate after a while, and keeps the one before where the new one is broken', async () => {
  const { service, write, args } = await startWithFiles();
  const [first, renewed] = [selfSigned(), selfSigned()];
  write(first);
  let passMinute = (): void => undefined;
  const clock = {
    ...systemClock,
    sleep: (...[ms, signal, options]: Parameters<typeof systemClock.sleep>) =>
      ms === 60_000
        ? new Promise<void>((resolve) => (passMinute = resolve))
        : systemClock.sleep(ms, signal, options),
  };
  const receiver = await service.serve(args, clock);
  expect(await ask(receiver.url, first.cert)).toBe(200);

  write({ cert: renewed.cert, key: 'half of it' });
  passMinute();
  await receiver.outputMatching(/"type":"certificate"/);
  expect(await ask(receiver.url, first.cert)).toBe(200);

  write(renewed);
  passMinute();
  await expect.poll(() => ask(receiver.url, renewed.cert), { timeout: 20_000 }).toBe(200);
  expect(await ask(receiver.url, first.cert)).not.toBe(200);
});

it('files that are no certificate are refused at the start', async () => {
  const { service, write, args } = await startWithFiles();
  write({ cert: 'nothing', key: 'nothing' });
  await expect(service.serve(args)).rejects.toThrow('what is given for TLS is no certificate with its key');
});
