/** The compose file and the examples for Kubernetes read as text: their flags and pages exist, and they fit together. */
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readProject as read } from '../support/folder.ts';
import { parseFlags } from '../support/tree.ts';

function documentsIn(path: string) {
  const documents = parseAllDocuments(read(path));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  return documents.map((document) => document.toJS());
}

it('compose starts the reference server and the receiver with existing flags', async () => {
  const [{ services }] = documentsIn('compose.yaml');
  const server = await parseFlags(services.service.command);
  expect(server).toMatchObject({ host: '0.0.0.0', port: '8080', allowPrivateTargets: true });
  const receiver = await parseFlags(['jit', 'serve', ...services.jit.command]);
  expect(receiver).toMatchObject({ listen: '0.0.0.0:9600', plainHttp: true });
});

it('an Indexed Job gives each pod its own shard of all', async () => {
  const [{ spec }] = documentsIn('docs/import-kubernetes.yaml');
  const { completions, parallelism, completionMode, template } = spec;
  expect([completionMode, parallelism]).toEqual(['Indexed', completions]);
  const shard = { shard: `auto/${completions}`, rate: '45/s', stealLock: true };
  expect(await parseFlags(template.spec.containers[0].args)).toMatchObject(shard);
});

it('the receiver has existing flags, TLS and existing probe pages', async () => {
  const [set, service] = documentsIn('docs/jit-kubernetes.yaml');
  const { spec, metadata } = set.spec.template;
  const [container] = spec.containers;
  const tls = { listen: '0.0.0.0:9600', tlsCert: '/tls/tls.crt', tlsKey: '/tls/tls.key' };
  expect(await parseFlags(['jit', 'serve', ...container.args])).toMatchObject(tls);
  expect(container.env.map(({ name }: { name: string }) => name)).toEqual(['IDPORT_SHARED_STATE']);
  expect(container.ports[0]).toEqual({ name: 'https', containerPort: 9600 });
  expect(service.spec.selector).toEqual(set.spec.selector.matchLabels);
  const pages = read('src/flows/jit/receiver.ts');
  const { startupProbe, livenessProbe, readinessProbe } = container;
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
    expect(httpGet).toMatchObject({ port: 'https', scheme: 'HTTPS' });
    expect(pages).toContain(`'${httpGet.path}'`);
  }
  // A list of a million users takes a minute to load, in which nothing listens.
  expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(300);
  expect(pages).toContain(`'${metadata.annotations['prometheus.io/path']}'`);
});
