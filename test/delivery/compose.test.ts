/** The compose file read as text: its flags exist, and it gives no more rights than needed. No engine runs it here. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { parseCommand } from '../support/argv.ts';

const root = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, root), 'utf8');
const document = parseDocument(read('compose.yaml'));
const { service, jit } = document.toJS().services;

it('starts the reference server and the receiver with flags that they have', async () => {
  expect(document.errors).toEqual([]);
  const server = await parseCommand(service.command);
  expect(server.options).toMatchObject({ host: '0.0.0.0', port: '8080', allowPrivateTargets: true });
  const receiver = await parseCommand(['jit', 'serve', ...jit.command]);
  expect(receiver.options).toMatchObject({ listen: '0.0.0.0:9600', plainHttp: true });
});
