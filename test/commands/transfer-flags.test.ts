/** Flags of `import` and `copy` that make requests smaller, leave secrets out, or open both sides with keys. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { createTestFolder } from '../support/folder.ts';
import { createHastyClock } from '../support/hasty-clock.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProgram as runVerb, type Ran } from '../support/program.ts';
import { hash, richOrg } from '../support/rich-org.ts';

let cwd: string;
let to: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  to = await startInstance(cwd, 'to', { domain: 'other.example' });
  const orgs = [richOrg('100', 'Acme', 'a', 30)];
  writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs }, timeout: '5m' }));
});
afterEach(() => to.close());

const run = (...argv: string[]): Promise<Ran> =>
  runVerb(argv, { cwd, clock: createHastyClock(() => to.server.settled()) });
const sampleUsers = (events: readonly IdportEvent[]): unknown =>
  events
    .flatMap((event) => (event.type === 'import:end' ? event.lists : []))
    .find(({ list }) => list === 'humanUsers');

describe('import', () => {
  it('sends no request of more than --chunk-bytes', async () => {
    const requests = async (...flags: string[]): Promise<{ bytes: number }[]> => {
      const { stdout } = await run('import', 'body.json', '--dry-run', ...flags);
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    const whole = await requests();
    const small = await requests('--chunk-bytes', '2000');
    expect(Math.max(...whole.map(({ bytes }) => bytes))).toBeGreaterThan(2000);
    expect(Math.max(...small.map(({ bytes }) => bytes))).toBeLessThanOrEqual(2000);
    expect(small.length).toBeGreaterThan(whole.length);
  });
});

describe('copy', () => {
  let from: Instance;
  beforeEach(async () => {
    from = await startInstance(cwd, 'from');
    await from.server.seed(JSON.parse(readFileSync(join(cwd, 'body.json'), 'utf8')));
  });
  afterEach(() => from.close());
  const copy = (...flags: string[]): Promise<Ran> =>
    run('copy', `--from-url=${from.url}`, `--to-url=${to.url}`, '--org=100', ...flags);
  const tokens = (): string[] => [`--from-token-file=${from.tokenFile}`, `--to-token-file=${to.tokenFile}`];

  it.each([
    [[], true, true],
    [['--no-otp'], true, false],
    [['--no-passwords', '--max-emails=unlimited'], false, true],
  ])('with %j carries passwords: %s, one-time passwords: %s', async (flags, passwords, otp) => {
    const { problem, events } = await copy(...tokens(), ...flags);
    expect([problem, sampleUsers(events)]).toMatchObject([undefined, { created: 30 }]);
    const carried = readFileSync(join(cwd, 'idport-copy.json'), 'utf8');
    expect([carried.includes(hash), carried.includes('JBSWY3DPEHPK3PXP')]).toEqual([passwords, otp]);
  });

  it('opens each side with the key file of a service user of it', async () => {
    for (const [name, { server }] of [
      ['from.json', from],
      ['to.json', to],
    ] as const) {
      writeFileSync(join(cwd, name), JSON.stringify(await server.createKey()), { mode: 0o600 });
    }
    const { problem, events } = await copy('--from-key-file=from.json', '--to-key-file=to.json');
    expect([problem, sampleUsers(events)]).toMatchObject([undefined, { created: 30 }]);
    const swapped = await copy('--from-key-file=to.json', '--to-key-file=from.json', '--via=other.json');
    expect(swapped.problem).toBeDefined();
  });
});
