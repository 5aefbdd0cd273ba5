/** The example of an Indexed Job read as text: its flags exist, its numbers agree, and no pod has more rights than it needs. */
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
const [job, service, store] = documents.map((document) => document.toJS());
const pod = job.spec.template.spec;
const [container] = pod.containers;

it('gives each pod a shard of as many as there are', async () => {
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const { options } = await parseCommand(container.args);
  const { completions, parallelism, completionMode } = job.spec;
  expect([completionMode, parallelism]).toEqual(['Indexed', completions]);
  expect(options).toMatchObject({ shard: `auto/${completions}`, rate: '45/s', stealLock: true });
});

it('starts a pod again only when the one before is gone, with the journal of the volume', () => {
  expect(job.spec.podReplacementPolicy).toBe('Failed');
  expect(container.workingDir).toBe('/data');
  expect(container.volumeMounts).toContainEqual({ name: 'data', mountPath: '/data' });
});

it('shares its rate through the store beside it', () => {
  const { name } = service.metadata;
  const [{ port, targetPort }] = service.spec.ports;
  expect(container.args).toContain(`--rate-store=redis://${name}:${port}`);
  expect(service.spec.selector).toEqual(store.spec.template.metadata.labels);
  expect(store.spec.template.spec.containers[0].ports).toContainEqual({
    name: targetPort,
    containerPort: port,
  });
});

it('gives the pods no more rights than they need', () => {
  for (const { spec } of [job.spec.template, store.spec.template]) {
    expect(spec.securityContext.runAsNonRoot).toBe(true);
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
});
