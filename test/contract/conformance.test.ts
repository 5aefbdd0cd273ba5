/**
 * Plays the recorded calls of the service against the reference server, one run for each recording, and fails on any
 * difference that is not explained. Skipped where the recordings are not at hand.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addMember, addServiceUser, addToken } from '../../src/server/accounts.ts';
import { createReferenceServer, type InspectableServer } from '../../src/server/index.ts';
import { newOrg } from '../../src/server/orgs.ts';
import {
  type Difference,
  installationValues,
  isAmong,
  meantDifferences,
  ownOrganization,
} from './differences.ts';
import { oldRoles } from '../../src/lib/old-names.ts';
import { createTestFolder } from '../support/folder.ts';

const shared = fileURLToPath(new URL('../../../shared/', import.meta.url));
const runner = join(shared, 'conformance/run.mjs');

interface Found {
  readonly name: string;
  readonly found: readonly string[];
  readonly real: string;
  readonly here: string;
}

let folder: string;
let server: InspectableServer;
beforeEach(() => {
  folder = createTestFolder();
});
afterEach(() => server.close());

function play(recording: string, url: string, tokens: object): Promise<Found[]> {
  const out = join(folder, 'found.json');
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify(tokens));
  const recorded = `--recorded=${join(shared, `reference/recorded/calls-${recording}.jsonl`)}`;
  const args = [runner, url, join(folder, 'tokens.json'), recorded, `--json=${out}`, '--quiet'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, stdout) => {
      if (error !== null && error.code !== 1) reject(new Error(stdout, { cause: error }));
      else resolve(JSON.parse(readFileSync(out, 'utf8')) as Found[]);
    });
  });
}

/** The organization of the calls is another one than that of their callers. */
function tokensOfOwnOrg() {
  const { state, tokens, users, orgId } = server;
  const org = state.store.orgs.put(newOrg(state, state.store.nextId(), 'Calls r1mwrtn5ac')).id;
  const owner = addServiceUser(state, org, 'org-owner-calls', { editor: users.iamOwner });
  addMember(state, 'org', org, owner.id, ['ORG_OWNER']);
  const { iamOwner, iamViewer, noRole } = tokens;
  const byOldName = { [oldRoles.noRole]: noRole };
  return {
    owner: iamOwner,
    viewer: iamViewer,
    ...byOldName,
    orgOwner: addToken(state, owner.id),
    org,
    def: orgId,
  };
}

function explains(difference: Difference, { name, found, real, here }: Found): boolean {
  if (!isAmong(name, difference)) return false;
  if (difference.only === 'values' && found.join() !== 'values') return false;
  return difference !== installationValues || blank(real) === blank(here);
}

const installationKeys =
  /^(?:passwordChanged|emailCode|access_token|id_token|id|userId|sequence)$|Date$|Id$|Owner$|[tT]imestamp$/;
const isoDate = /^\d{4}-\d\d-\d\dT/;

/** The answer with its dates, ids and secrets blanked, and keys in one order. */
function blank(answer: string): string {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      entries.map(([key, inner]) => {
        const secret = typeof inner === 'string' && (installationKeys.test(key) || isoDate.test(inner));
        return [key, secret ? '' : walk(inner)];
      }),
    );
  };
  return JSON.stringify(walk(JSON.parse(answer)));
}

describe.skipIf(!existsSync(runner))('the calls (needs the recorded calls)', () => {
  const always = [installationValues, ...meantDifferences];
  const runs = [
    ['self-hosted', 'self-hosted', 'one', always],
    ['all verifiers', 'all-verifiers', 'own', always],
    ['all verifiers, in the only organization', 'all-verifiers', 'one', [...always, ownOrganization]],
  ] as const;

  it.each(runs)(
    '%s: answered as recorded, or explained',
    async (_, profile, org, explained) => {
      server = createReferenceServer({ profile, rate: null, control: false });
      const { url } = await server.listen({ port: 0 });
      const tokens = org === 'own' ? tokensOfOwnOrg() : { orgId: server.orgId, tokens: server.tokens };
      const found = await play(profile, url, tokens);
      const open = found.filter((each) => !explained.some((difference) => explains(difference, each)));
      expect(open.map(({ name, found, real, here }) => ({ name, found, real, here }))).toEqual([]);
      // Every explanation is needed by a run with the one organization.
      const used = new Set(found.map((each) => explained.find((one) => explains(one, each))));
      expect(org === 'own' ? [] : explained.filter((difference) => !used.has(difference))).toEqual([]);
    },
    120_000,
  );
});
