/** The example for Kubernetes read as text: its flags and pages exist, and the pod has no more rights than it needs. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseCommand } from '../support/argv.ts';

const text = readFileSync(fileURLToPath(new URL('../../docs/jit-kubernetes.yaml', import.meta.url)), 'utf8');
const documents = parseAllDocuments(text);
const [set, service] = documents.map((document) => document.toJS());
const pod = set.spec.template.spec;
const [container] = pod.containers;

it('starts the receiver with flags that it has, behind TLS', async () => {
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const { options } = await parseCommand(['jit', 'serve', ...container.args]);
  expect(options).toMatchObject({ listen: '0.0.0.0:9600', tlsCert: '/tls/tls.crt', tlsKey: '/tls/tls.key' });
  expect(container.env.map(({ name }: { name: string }) => name)).toEqual(['IDPORT_SHARED_STATE']);
  expect(container.ports[0]).toEqual({ name: 'https', containerPort: 9600 });
  expect(service.spec.selector).toEqual(set.spec.selector.matchLabels);
});

it('asks the pages of the receiver', () => {
  const pages = readFileSync(
    fileURLToPath(new URL('../../src/flows/jit/receiver.ts', import.meta.url)),
    'utf8',
  );
  const { startupProbe, livenessProbe, readinessProbe } = container;
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
    expect(httpGet).toMatchObject({ port: 'https', scheme: 'HTTPS' });
    expect(pages).toContain(`'${httpGet.path}'`);
  }
  // A list of a million users takes a minute to load, in which nothing listens.
  expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(300);
  expect(pages).toContain(`'${set.spec.template.metadata.annotations['prometheus.io/path']}'`);
});
