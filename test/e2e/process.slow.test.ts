import { type ChildProcess, spawnSync } from 'node:child_process';
import { createServer as createTlsServer } from 'node:https';
import { beforeEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../support/certificate.ts';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import { readProject, typicalRealm as typical } from '../support/folder.ts';
import { listenHere } from '../support/local-server.ts';
import { type ProcessOptions, runProcess } from '../support/process.ts';
import { userNames } from '../support/users-run.ts';
import { type Folder, openFolder, succeeded } from '../support/workspace.ts';

const migrate = `migrate keycloak --org=1 --realm=`;

let folder: Folder;
beforeEach(() => {
  folder = openFolder();
});
const run = (line: string, options: Partial<ProcessOptions> = {}) =>
  runProcess(line.split(' '), { cwd: folder.cwd, ...options });

/** Larger than any pipe holds. */
const largeRealm = () =>
  JSON.stringify(realmOf(...userNames(20_000).map((name) => keycloakUser(name, { credentials: [] }))));

it('an unbuilt clone tells how to build it', async () => {
  const { cwd, write } = openFolder();
  write('bin/idport.mjs', readProject('bin/idport.js'));
  const ran = spawnSync(process.execPath, ['bin/idport.mjs'], { cwd, encoding: 'utf8' });
  const stderr = 'error: this clone is not built yet\n  hint: npm run try (or npm ci && npm run build)\n';
  expect(ran).toMatchObject({ status: 1, stderr });
});

describe('the idport process', () => {
  it('writes data to stdout and messages to stderr, without escape codes into a pipe', async () => {
    const { stdout, stderr } = await succeeded(run(`${migrate}${typical} --output=-`));
    expect(JSON.parse(stdout)).toHaveProperty('dataOrgs');
    expect(stderr).toContain('The counts add up');
    expect(stderr).not.toContain('\u001b');
  });

  it.each(['', '--json '])('warns once that certificates are not checked (%s)', async (flags) => {
    const server = createTlsServer(
      selfSigned(),
      (_, response) => void response.end('{"orgs":[{"orgId":"1"}]}'),
    );
    const url = `https://localhost:${new URL(await listenHere(server)).port}`;
    const { stderr } = await succeeded(
      run(`${flags}export --url=${url}`, {
        env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', IDPORT_TOKEN: 'token' },
      }),
    );
    expect(stderr.match(/NODE_TLS_REJECT_UNAUTHORIZED/g)).toHaveLength(1);
    expect(stderr).toContain('Use NODE_EXTRA_CA_CERTS');
  });

  it('gives each address of a host one second to connect', async () => {
    const script =
      "import net from 'node:net'; process.on('exit', () => console.error(net.getDefaultAutoSelectFamilyAttemptTimeout()));";
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;
    expect(await run('sources', { env: { NODE_OPTIONS } })).toMatchObject({ stderr: '1000\n' });
  });

  it('refuses an address that cannot be decoded', async () => {
    const env = { IDPORT_DATABASE: 'mysql://user:100%@db/app' };
    expect(await run('migrate keycloak --org=1', { env })).toMatchObject({ exitCode: 2 });
  });

  it('writes a failure as an event with --json', async () => {
    const { stderr, exitCode } = await run(`${migrate}nowhere.json --json`);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ type: 'problem', code: 'input:not-found', exitCode: 1 });
  });
});

describe('a stopped idport process', () => {
  it('fails if the reader of a body closes the pipe early', async () => {
    folder.write('realm.json', largeRealm());
    const { exitCode, stderr } = await run(`${migrate}realm.json --output=- --quiet`, {
      meanwhile: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: standard output was closed early\n/);
  });

  it.each(['--help', 'verify --help', 'help undo', '--version'])(
    'exits 0 without a message if no one reads the output of %s',
    async (line) => {
      const meanwhile = (child: ChildProcess) => void child.stdout?.destroy();
      const { exitCode, stderr } = await run(line, { meanwhile });
      expect([exitCode, stderr]).toEqual([0, '']);
    },
  );

  it('continues if no one reads stderr', async () => {
    const meanwhile = (child: ChildProcess) => void child.stderr?.destroy();
    await succeeded(run(`${migrate}${typical}`, { meanwhile }));
    expect(folder.list()).toEqual(['importBody.json']);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('exits 130 on %s and leaves no file', async (signal) => {
    const half = largeRealm().slice(0, -100_000);
    const { exitCode } = await run(`${migrate}- --rejects=r.ndjson --report=r.json`, {
      meanwhile: (child) => {
        child.stdin?.write(half);
        // The input stays open: the run waits for the rest of it until it is told to stop.
        const look = setInterval(() => {
          if (folder.list().length === 0) return;
          clearInterval(look);
          child.kill(signal);
        }, 20);
      },
    });
    expect(exitCode).toBe(130);
    expect(folder.list()).toEqual([]);
  });
});
