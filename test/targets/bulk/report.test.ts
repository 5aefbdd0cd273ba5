import { expect, it } from 'vitest';
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
const idp = { name: 'J', jwtEndpoint: 'e', issuer: 'i', keysEndpoint: 'k', headerName: 'h' };
const provider = entryOf('jwtIdps', { idpId: 'j', idp });

type Complaint = readonly [type: string, id: string, message: string];

const read = (entry: Entry, complaints: readonly Complaint[]) =>
  readReport(
    [entry],
    importDataResponse.parse({ errors: complaints.map(([type, id, message]) => ({ type, id, message })) }),
  );
const existed = 'ID=V2-e1wse Message=Errors.Already.Exists';
const taken = 'ID=V3-DKcYh Message=Errors.Org.Domain.AlreadyExists';
const isRefused = (detail: string) => ({ state: 'failed', code: 'import:refused', detail });
const policyRefused = 'ID=X-1 Message=Errors.Org.DomainPolicy.Invalid';
const orgExisted = (id = 'ORG-lapo2n'): Complaint => [
  'org',
  '1',
  `ID=${id} Message=Errors.Org.AlreadyExisting`,
];
const ofDomain = (message: string, type = 'domain'): Complaint => [type, '1_acme.example', message];

it.each<[string, Entry, readonly Complaint[], object]>([
  ['organization that nothing is said of was created', org, [], { state: 'created' }],
  ['organization with a benign error already existed', org, [orgExisted()], { state: 'existed' }],
  ['organization of an older service existed as well', org, [orgExisted('ORG-lapo2m')], { state: 'existed' }],
  [
    'organization that existed, and whose policy is refused, is a failure',
    org,
    [orgExisted(), ['domain_policy', '1', policyRefused]],
    isRefused('Errors.Org.DomainPolicy.Invalid (X-1)'),
  ],
  [
    'domain that another organization has verified is a failure',
    domain,
    [ofDomain(taken)],
    isRefused('Errors.Org.Domain.AlreadyExists (V3-DKcYh)'),
  ],
  ['domain of its own existed', domain, [ofDomain(existed)], { state: 'existed' }],
  ['provider of JWT that is not named existed', provider, [], { state: 'existed' }],
  [
    'domain that was verified as it was added is there, whatever is said about verifying it again',
    domain,
    [ofDomain(taken, 'domain_isverified')],
    { state: 'created' },
  ],
  [
    'domain that was there already, and cannot be the primary one, is a failure',
    domain,
    [ofDomain(existed), ofDomain('ID=COMMA-yKA80 Message=Errors.Org.DomainNotVerified', 'domain_isprimary')],
    isRefused('Errors.Org.DomainNotVerified (COMMA-yKA80)'),
  ],
])('a bulk report lists %s', (_, entry, complaints, end) => {
  expect(read(entry, complaints).ends).toEqual([end]);
});

it.each([
  ['that existed', orgExisted()[2], []],
  ['that has no name', 'ID=COMM-deLSk Message=Errors.Org.Invalid', ['1']],
  ['whose name another one has', 'ID=V3-DKcYh Message=Errors.Org.AlreadyExists', ['1']],
])('an organization %s: what the service left out with everything in it', (_, message, refused) => {
  const { refusedOrgs } = read(org, [['org', '1', message]]);
  expect([...refusedOrgs]).toEqual(refused.map((id) => [id, message]));
});

it('a bulk report distinguishes a taken name from a taken identity link', () => {
  const profile = { firstName: 'Ada', lastName: 'Lovelace' };
  const user = entryOf('humanUsers', {
    userId: '7',
    user: { userName: 'ada', profile, email: { email: 'ada@example.com' } },
  });
  const endOf = (what: string) =>
    read(user, [['human_user', '7', `ID=V3-DKcYh Message=Errors.${what}.AlreadyExists`]]).ends[0];
  expect(endOf('User')).toMatchObject({ state: 'failed', code: 'import:name-taken' });
  expect(endOf('User.ExternalIDP')).toEqual(isRefused('Errors.User.ExternalIDP.AlreadyExists (V3-DKcYh)'));
});
