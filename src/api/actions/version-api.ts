/** The actions API of a service in one version. */
import {
  createTargetResponse,
  listFunctionsResponse,
  listMethodsResponse,
  listServicesResponse,
  updateTargetResponse,
} from '../../wire/actions.ts';
import { IdportError } from '../../errors.ts';
import type { Call, Client } from '../client.ts';
import { search } from '../search.ts';
import type { ActionsApi, NameKind } from './types.ts';
import type { Page, Version } from './versions.ts';

/** The service's own page size for targets and executions. */
const pageSize = 100;

export function createVersionApi(client: Client, version: Version): ActionsApi {
  const { base } = version;
  const targets = `${base}/targets`;
  const executions = `${base}/executions`;
  const one = (id: string): string => `${targets}/${encodeURIComponent(id)}`;
  const change = (id: string, body: object) =>
    client.call({
      method: version.change,
      path: one(id),
      body,
      answer: updateTargetResponse,
    });

  /** Ends at a page that is not full, so it also ends with services that know no pages. */
  const readPages = async <Entry>(path: string, answer: NonNullable<Call<Page<Entry>>['answer']>) => {
    const all: Entry[] = [];
    for (;;) {
      const page = { [version.page]: { offset: String(all.length), limit: pageSize, asc: true } };
      const { entries, total = Infinity } = await client.call(search(`${path}/search`, page, answer));
      all.push(...entries);
      if (entries.length !== pageSize || all.length >= Number(total)) return all;
    }
  };

  return {
    generation: version.generation,
    async createTarget(settings) {
      const body = version.write(settings);
      const made = await client.call({ method: 'POST', path: targets, body, answer: createTargetResponse });
      return { id: made.id, signingKey: made.signingKey || undefined };
    },
    async updateTarget(id, settings) {
      await change(id, version.write(settings));
    },
    async rotateKey(id) {
      if (version.rotation === undefined) {
        throw new IdportError('actions:not-supported', 'this service cannot make a new key for a target', {
          hint: `Delete target ${id}, create it again (\`idport actions target create --key-file <file>\`), and set its executions again.`,
        });
      }
      const { signingKey = '' } = await change(id, version.rotation);
      if (signingKey !== '') return signingKey;
      throw new IdportError('actions:no-key', `the service gave no new signing key for target ${id}`);
    },
    async getTarget(id) {
      const target = await client.call({ method: 'GET', path: one(id), answer: version.target });
      if (target !== undefined) return target;
      throw new IdportError('actions:no-target', `the service gave no target for the id ${id}`);
    },
    listTargets: () => readPages(targets, version.targets),
    async deleteTarget(id) {
      await client.call({ method: 'DELETE', path: one(id) });
    },
    async setExecution(condition, targetIds) {
      const body = { targets: targetIds.map(version.entry), condition };
      await client.call({ method: 'PUT', path: executions, body });
    },
    async clearExecution(condition) {
      await client.call({ path: executions, ...version.clear(condition) });
    },
    listExecutions: () => readPages(executions, version.executions),
    async listNames(kind) {
      const names = await client.call({
        method: 'GET',
        path: `${executions}/${kind}`,
        answer: nameLists[kind],
      });
      return (names as Record<string, string[]>)[kind] ?? [];
    },
  };
}

const nameLists: Readonly<Record<NameKind, { parse(value: unknown): Partial<Record<NameKind, string[]>> }>> =
  {
    methods: listMethodsResponse,
    services: listServicesResponse,
    functions: listFunctionsResponse,
  };
