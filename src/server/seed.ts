/** Puts the content of an import body into the store before the first call. */
import { UsageError } from '../errors.ts';
import { decode, DecodeError } from '../wire/codec.ts';
import { importDataOrg, importDataRequest, type importDataResponse } from '../wire/import.ts';
import type { Input } from '../wire/message.ts';
import type { DataOrg } from '../wire/org-data.ts';
import type { ServerState } from './context.ts';
import { toSecondForm } from './import/first-form.ts';
import { runImport } from './import/run.ts';

/**
 * Takes a whole request (`{"dataOrgs": {...}}`) or what an export gives (`{"orgs": [...]}`). Orgs that neither exist
 * nor have a name get their id as name. No email is recorded, no time is counted, no field rule applies.
 */
export async function seedState(
  state: ServerState,
  editor: string,
  body: unknown,
): Promise<Input<typeof importDataResponse>> {
  const orgs = readOrgs(state, body).map((org) => ({ ...org, org: org.org ?? { name: org.orgId } }));
  const settings = { ...state.settings, secondsPerUser: 0, cutAfterSeconds: 0, sendsNothing: true };
  return runImport({ ...state, settings }, editor, orgs, Infinity);
}

function readOrgs(state: ServerState, body: unknown): readonly DataOrg[] {
  const bytes = Buffer.from(JSON.stringify(body));
  try {
    if (Array.isArray((body as { orgs?: unknown } | null)?.orgs)) {
      return decode(importDataOrg, bytes).orgs;
    }
    const { dataOrgs, dataOrgsv1 } = decode(importDataRequest, bytes);
    const orgs = dataOrgs?.orgs ?? dataOrgsv1?.orgs.map((org) => toSecondForm(org, state.store.instance));
    if (orgs !== undefined) return orgs;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new UsageError(`the seed cannot be read: ${error.message}`, { cause: error });
  }
  throw new UsageError('the seed has no orgs', {
    hint: 'Give an import body: {"dataOrgs": {"orgs": [...]}}, or what an export gives: {"orgs": [...]}.',
  });
}
