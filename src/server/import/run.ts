/**
 * Runs a bulk import: three passes over all organizations, entry by entry; each refusal is an entry of the answer.
 * An organization that exists is reported and filled, also a removed one; one that neither exists nor has a name is left
 * out.
 */
import type { Input } from '../../wire/message.ts';
import { emptyMessageOf } from '../../wire/message.ts';
import { projectSteps } from './project-steps.ts';
import { userSteps } from './user-steps.ts';
import { orgSteps } from './org-steps.ts';
import { importDataSuccessOrg, type importDataResponse } from '../../wire/import.ts';
import type { DataOrg } from '../../wire/org-data.ts';
import type { ServerState } from '../context.ts';
import { createOrg, findOrg } from '../orgs.ts';
import { secondPass, thirdPass } from './grant-steps.ts';
import { attempt, createBudget, type ImportJob } from './job.ts';
import type { StepContext, Step } from './step.ts';

const firstPass: readonly Step[] = [...orgSteps, ...userSteps, ...projectSteps];

/** Throws `TimeIsUp` when the time is spent; what was stored until then stays. */
export async function runImport(
  state: ServerState,
  editor: string,
  orgs: readonly DataOrg[],
  timeoutMs: number,
): Promise<Input<typeof importDataResponse>> {
  const job: ImportJob = { ...state, editor, errors: [], orgs: [], spend: createBudget(state, timeoutMs) };
  job.spend(0);
  for (const data of orgs) {
    if (await openOrg(job, data)) await runPass(job, data, firstPass);
  }
  for (const pass of [secondPass, thirdPass]) {
    for (const data of orgs) {
      if (job.orgs.some((org) => org.orgId === data.orgId)) await runPass(job, data, pass);
    }
  }
  return { errors: job.errors, success: { orgs: job.orgs } };
}

async function runPass(job: ImportJob, data: DataOrg, steps: readonly Step[]): Promise<void> {
  const success = job.orgs.find((org) => org.orgId === data.orgId)!;
  const context: StepContext = { job, data, org: () => findOrg(job.store, data.orgId)! };
  for (const step of steps) await step(context, success);
}

/** False when the org is neither there nor could be made: then everything in it is left out. */
async function openOrg(job: ImportJob, data: DataOrg): Promise<boolean> {
  await attempt(job, 'org', data.orgId, () => create(job, data));
  if (findOrg(job.store, data.orgId) === undefined) return false;
  job.orgs.push({ ...emptyMessageOf(importDataSuccessOrg), orgId: data.orgId });
  return true;
}

const create = (job: ImportJob, data: DataOrg) =>
  createOrg(job, {
    id: data.orgId,
    name: data.org?.name ?? '',
    owner: job.editor,
    active: data.orgState !== 'ORG_STATE_INACTIVE',
  });
