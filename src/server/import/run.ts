/**
 * A decoded import in, its answer out: three passes over all orgs, entry by entry, each refusal an entry of the answer.
 * An org that is there already is told and gone on with; one that is neither there nor named is left out.
 */
import type { z } from 'zod';
import { importDataSuccessOrg } from '../../wire/import.ts';
import type { importDataResponse } from '../../wire/import.ts';
import type { DataOrg } from '../../wire/org-data.ts';
import { emptyMessageOf } from '../../wire/plan.ts';
import type { ServerState } from '../context.ts';
import { createOrg } from '../orgs.ts';
import { secondPass, thirdPass } from './grant-steps.ts';
import { attempt, createBudget } from './job.ts';
import type { ImportJob } from './job.ts';
import { orgSteps } from './org-steps.ts';
import { peopleSteps } from './people-steps.ts';
import { projectSteps } from './project-steps.ts';
import type { Place, Step } from './step.ts';

const firstPass: readonly Step[] = [...orgSteps, ...peopleSteps, ...projectSteps];

/** Throws `TimeIsUp` when the time is spent; what was stored until then stays. */
export async function runImport(
  state: ServerState,
  editor: string,
  orgs: readonly DataOrg[],
  timeoutMs: number,
): Promise<z.input<typeof importDataResponse>> {
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
  const place: Place = { job, data, org: () => job.store.orgs.get(data.orgId)! };
  for (const step of steps) await step(place, success);
}

/** False when the org is neither there nor could be made: then everything in it is left out. */
async function openOrg(job: ImportJob, data: DataOrg): Promise<boolean> {
  await attempt(job, 'org', data.orgId, () => create(job, data));
  if (!job.store.orgs.has(data.orgId)) return false;
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
