import { describe, expect, it } from 'vitest';
import { parseArgv } from '../support/argv.ts';

const words = (line: string): string[] => line.split(' ');

describe('the command line of serve', () => {
  it.each<[string, Record<string, unknown>]>([
    [
      'serve',
      { port: '8080', host: '127.0.0.1', profile: 'hosted', brand: 'zitadel', control: true, json: false },
    ],
    ['serve --port 0 --json', { port: '0', json: true }],
    ['--json serve', { json: true }],
    ['serve --rate 50/s --retry-after --no-control', { rate: '50/s', retryAfter: true, control: false }],
    ['serve --no-allow-private-targets', { allowPrivateTargets: false }],
    ['serve --allow-private-targets', { allowPrivateTargets: true }],
    [
      'serve --host ::1 --profile self-hosted --org-name Acme --storage-endpoint http://127.0.0.1:4443',
      { host: '::1', profile: 'self-hosted', orgName: 'Acme', storageEndpoint: 'http://127.0.0.1:4443' },
    ],
    ['serve --brand service --no-actions-feature', { brand: 'service', actionsFeature: false }],
  ])('%s', async (line, options) => {
    expect(await parseArgv(words(line))).toMatchObject(options);
  });

  it('leaves the choice about private targets to the address unless it is given', async () => {
    expect((await parseArgv(words('serve'))) as object).not.toHaveProperty('allowPrivateTargets');
  });

  it.each([
    ['serve --brand other', /Allowed choices are service, zitadel/],
    ['serve extra', /too many arguments/],
  ])('%s is refused', async (line, message) => {
    await expect(parseArgv(words(line))).rejects.toThrow(message);
  });
});
