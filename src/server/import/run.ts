/**
 * Runs a bulk import: three passes over all organizations, entry by entry. Each refusal becomes an entry of the answer.
 * An organization that already exists is reported and filled, even if it was removed. A new one without a name is left
 * out. Data in the form of the first major version is converted first.
 */
import { type Input, emptyMessageOf } from '../../wire/message.ts';
import { passes } from './entry-steps.ts';
import {
  importDataSuccessOrg,
  type ImportDataRequest,
  type importDataResponse,
  type DataOrg,
  dataOrg,
  flowTypes,
  triggerTypes,
  type DataOrgV1,
} from '../../wire/import.ts';
import type { ServerState } from '../method.ts';
import { createOrg } from '../orgs.ts';
import { attempt, createBudget, type ImportJob, type StepContext } from './step.ts';
import { findOrg } from '../store/store.ts';

/** Throws when the time is spent. What was stored until then stays. */
export async function runImport(
  state: ServerState,
  by: Pick<ImportJob, 'editor' | 'textsTo'>,
  orgs: readonly DataOrg[],
  timeoutMs: number,
): Promise<Input<typeof importDataResponse>> {
  const job: ImportJob = { ...state, ...by, errors: [], orgs: [], spend: createBudget(state, timeoutMs) };
  job.spend(0);
  for (const [index, pass] of passes.entries()) {
    // The service reports the later passes of an organization that is there twice in its first entry.
    const opened = new Map(job.orgs.toReversed().map((org) => [org.orgId, org]));
    for (const data of orgs) {
      const { orgId } = data;
      const success = index === 0 ? await openOrg(job, data) : opened.get(orgId);
      // An organization that does not exist could not be created.
      if (success === undefined) continue;
      const context: StepContext = { ...job, orgId, data, org: () => findOrg(job.store, orgId)! };
      for (const step of pass) await step(context, success);
    }
  }
  return { errors: job.errors, success: { orgs: job.orgs } };
}

async function openOrg(job: ImportJob, data: DataOrg) {
  await attempt(job, 'org', data.orgId, () =>
    createOrg(job, {
      id: data.orgId,
      name: data.org?.name ?? '',
      owner: job.editor,
      active: data.orgState !== 'ORG_STATE_INACTIVE',
    }),
  );
  if (findOrg(job.store, data.orgId) === undefined) return undefined;
  const success = { ...emptyMessageOf(importDataSuccessOrg), orgId: data.orgId };
  job.orgs.push(success);
  return success;
}

/** Lifetimes of the instance. Every imported login policy of the first form gets them. */
const lifetimes = {
  passwordCheckLifetime: '864000s',
  externalLoginCheckLifetime: '864000s',
  mfaInitSkipLifetime: '2592000s',
  secondFactorCheckLifetime: '64800s',
  multiFactorCheckLifetime: '43200s',
} as const;

/** Returns the organizations in the request itself, in either form. */
export const inlineOrgs = ({ dataOrgs, dataOrgsv1 }: ImportDataRequest): readonly DataOrg[] | undefined =>
  dataOrgs?.orgs ?? dataOrgsv1?.orgs.map(toSecondForm);

export function toSecondForm(org: DataOrgV1): DataOrg {
  const { iamPolicy, secondFactors, multiFactors, idps, triggerActions, loginPolicy, ...same } = org;
  return {
    ...emptyMessageOf(dataOrg),
    ...same,
    domainPolicy: iamPolicy && {
      ...iamPolicy,
      validateOrgDomains: false,
      smtpSenderAddressMatchesInstanceDomain: false,
    },
    loginPolicy: loginPolicy && {
      ...loginPolicy,
      ...lifetimes,
      ...(secondFactors.length > 0 && { secondFactors: secondFactors.map((factor) => factor.type) }),
      ...(multiFactors.length > 0 && { multiFactors: multiFactors.map((factor) => factor.type) }),
      ...(idps.length > 0 && { idps }),
    },
    triggerActions: triggerActions.map(({ flowType, triggerType, actionIds }) => ({
      flowType: digitsOf(flowTypes, flowType),
      triggerType: digitsOf(triggerTypes, triggerType),
      actionIds,
    })),
  };
}

/** `FLOW_TYPE_EXTERNAL_AUTHENTICATION` -> `1`. An unknown name was decoded as 0. */
const digitsOf = (names: readonly string[], value: string | number) =>
  String(typeof value === 'number' ? value : names.indexOf(value));
