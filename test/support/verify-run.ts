/** Runs verify in this process against the reference server: the findings of each user, and the counts. */
import type { VerifyRequest } from '../../src/flows/verify/comparison.ts';
import type { Compared } from '../../src/records/outcomes.ts';
import { verifyUsers } from '../../src/flows/verify/verify.ts';
import type { Input } from '../../src/lib/input.ts';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { memoryInput } from './memory-input.ts';
import { contextOf, faultAt, type ServiceOptions } from './service.ts';
import { createTarget, type Target } from './users-run.ts';

/** The same server, where the first requests with this part in their address, or all, meet a fault. */
export const spoiled = ({ server }: Target, ...at: Parameters<typeof faultAt>) =>
  createTarget({ server, fault: faultAt(...at) });

/** The same server with the token of an owner of the organization alone. */
export function asOrgOwner({ server }: Target, options: ServiceOptions = {}) {
  const tokens = { ...server.tokens, iamOwner: server.tokens.orgOwner };
  return createTarget({ ...options, server: { ...server, tokens } });
}

const signs = { same: '=', blocked: '~', missing: '-', extra: '+', differs: '*', unknown: '!' };

export async function runVerify(
  target: Target,
  body: string,
  more: Partial<VerifyRequest> = {},
  inputs: readonly Input[] = [memoryInput('importBody.json', body)],
) {
  const compared: Compared[] = [];
  const counts = await verifyUsers(
    {
      source: {
        provider: 'body',
        options: {},
        inputs,
        companions: {},
        policy: {
          profile: builtInProfiles.get('all-verifiers')!,
          onRefusedHash: 'keep',
          withoutPassword: 'import',
          route: 'import',
        },
        duplicates: 'reject',
      },
      client: target.client,
      orgs: [target.org],
      newIds: [],
      details: 'source',
      withExport: true,
      concurrency: 4,
      perSecond: undefined,
      wait: 600_000,
      reportSame: true,
      report: (user) => {
        compared.push(user);
        return Promise.resolve();
      },
      ...more,
    },
    contextOf(target),
  );
  const told = compared
    .filter(({ outcome }) => outcome !== 'same')
    .map(({ outcome, userName, fields, unknown, detail }) => {
      const parts = [fields.join(', '), unknown.length === 0 ? '' : `unknown ${unknown.join(', ')}`, detail];
      const what = parts.filter((part) => part !== '').join('; ');
      return [`${signs[outcome]} ${userName}`.trimEnd(), what].filter((part) => part !== '').join(': ');
    });
  return {
    counts,
    compared,
    /** `* ann: email; unknown: password`, without those who are as expected. */
    told,
  };
}
