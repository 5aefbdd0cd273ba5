import { describe, expect, it } from 'vitest';
import { readEntry, type Entry } from '../../../src/targets/bulk/entry.ts';
import { readReport } from '../../../src/targets/bulk/report.ts';
import { importDataResponse } from '../../../src/wire/import.ts';

function entryOf(list: string, value: unknown) {
  const entry = readEntry({ number: 0, list, orgId: '1', firstForm: false }, JSON.stringify(value));
  if (!('text' in entry)) throw new Error(`not fit to be sent: ${entry.detail}`);
  return entry;
}

const org = entryOf('org', { org: { name: 'Acme' }, domainPolicy: { orgId: '1' } });
const domain = entryOf('domains', { orgId: '1', domainName: 'acme.example', isVerified: true });

type Complaint = readonly [type: string, id: string, message: string];

const read = (entry: Entry, complaints: readonly Complaint[]) =>
  readReport(
    [entry],
    importDataResponse.parse({ errors: complaints.map(([type, id, message]) => ({ type, id, message })) }),
  );
const endOf = (entry: Entry, complaints: readonly Complaint[]) => read(entry, complaints).ends[0]!;

const orgExisted: Complaint = ['org', '1', 'ID=ORG-lapo2n Message=Errors.Org.AlreadyExisting'];

describe('an organization in a report', () => {
  it('that nothing is said of was created', () => {
    expect(endOf(org, [])).toEqual({ state: 'created' });
  });

  it.each(['ORG-lapo2n', 'ORG-lapo2m'])('with the benign error %s already existed', (id) => {
    const complaint: Complaint = ['org', '1', `ID=${id} Message=Errors.Org.AlreadyExisting`];
    expect(endOf(org, [complaint])).toEqual({ state: 'existed' });
    expect(read(org, [complaint]).refusedOrgs.size).toBe(0);
  });

  it('that existed, and whose policy is refused, is a failure', () => {
    const refused: Complaint = ['domain_policy', '1', 'ID=X-1 Message=Errors.Org.DomainPolicy.Invalid'];
    expect(endOf(org, [orgExisted, refused])).toEqual({
      state: 'failed',
      code: 'import:refused',
      detail: 'Errors.Org.DomainPolicy.Invalid (X-1)',
    });
  });

  it.each([
    ['that has no name', 'ID=COMM-deLSk Message=Errors.Org.Invalid'],
    ['whose name another one has', 'ID=V3-DKcYh Message=Errors.Org.AlreadyExists'],
  ])('%s was left out by the service, with everything in it', (_, message) => {
    expect([...read(org, [['org', '1', message]]).refusedOrgs]).toEqual([['1', message]]);
  });
});

describe('a domain in a report', () => {
  const taken = 'ID=V3-DKcYh Message=Errors.Org.Domain.AlreadyExists';

  it('that another organization has verified is a failure, one of its own existed', () => {
    const verified: Complaint = ['domain', '1_acme.example', taken];
    expect(endOf(domain, [verified])).toMatchObject({ state: 'failed', code: 'import:refused' });
    const own: Complaint = ['domain', '1_acme.example', 'ID=V2-e1wse Message=Errors.Already.Exists'];
    expect(endOf(domain, [own])).toEqual({ state: 'existed' });
  });

  it('that was verified as it was added is there, whatever is said about verifying it again', () => {
    expect(endOf(domain, [['domain_isverified', '1_acme.example', taken]])).toEqual({ state: 'created' });
  });

  it('that was there already, and cannot be the primary one, is a failure', () => {
    const end = endOf(domain, [
      ['domain', '1_acme.example', 'ID=V2-e1wse Message=Errors.Already.Exists'],
      ['domain_isprimary', '1_acme.example', 'ID=COMMA-yKA80 Message=Errors.Org.DomainNotVerified'],
    ]);
    expect(end).toMatchObject({ state: 'failed', detail: /DomainNotVerified/ });
  });
});

it('tells a user whose name is taken from one whose link to an identity provider is taken', () => {
  const user = entryOf('humanUsers', {
    userId: '7',
    user: {
      userName: 'ada',
      profile: { firstName: 'Ada', lastName: 'Lovelace' },
      email: { email: 'ada@example.com' },
    },
  });
  const nameTaken: Complaint = ['human_user', '7', 'ID=V3-DKcYh Message=Errors.User.AlreadyExists'];
  expect(endOf(user, [nameTaken])).toMatchObject({ state: 'failed', code: 'import:name-taken' });
  const linkTaken: Complaint = [
    'human_user',
    '7',
    'ID=V3-DKcYh Message=Errors.User.ExternalIDP.AlreadyExists',
  ];
  expect(endOf(user, [linkTaken])).toEqual({
    state: 'failed',
    code: 'import:refused',
    detail: 'Errors.User.ExternalIDP.AlreadyExists (V3-DKcYh)',
  });
});
