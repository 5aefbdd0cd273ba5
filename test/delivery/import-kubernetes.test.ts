/** The example of an Indexed Job read as text: its flags exist, and no pod has more rights than it needs. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseCommand } from '../support/argv.ts';

const text = readFileSync(
  fileURLToPath(new URL('../../docs/import-kubernetes.yaml', import.meta.url)),
  'utf8',
);
const documents = parseAllDocuments(text);
const [job] = documents.map((document) => document.toJS());
const pod = job.spec.template.spec;
const [container] = pod.containers;

it('gives each pod a shard of as many as there are', async () => {
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const { options } = await parseCommand(container.args);
  const { completions, parallelism, completionMode } = job.spec;
  expect([completionMode, parallelism]).toEqual(['Indexed', completions]);
  expect(options).toMatchObject({ shard: `auto/${completions}`, rate: '45/s', stealLock: true });
});
