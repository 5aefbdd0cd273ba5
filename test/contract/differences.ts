/**
 * Answers of this server that differ from what the service was recorded to answer, with the reason: for the page, and
 * for the test that plays the recorded calls.
 */
export interface Difference {
  readonly reason: string;
  /** Names of the recorded calls; `*` at the end stands for anything. */
  readonly calls: readonly string[];
  /** What the comparison may find: only values that differ, or anything. */
  readonly only?: 'values';
}

/** Dates and secrets that no two installations share. The rest of these answers is equal, which the test proves. */
export const installationValues: Difference = {
  reason:
    'a date (`passwordChanged`) or a secret (a code, a token) of the installation, which the comparison does not blank; ' +
    'all else in these answers is equal',
  only: 'values',
  calls: [
    'get user',
    'get user phone',
    'v2 get user',
    'lang read *',
    'email read *',
    'phone read *',
    'search: userName eq',
    'search: userName eq ignore case',
    'search: userName starts',
    'search: email eq',
    'search: inUserIds',
    'search: inUserEmails',
    'search: or query',
    'search: bad method',
    'search: loginNameQuery',
    'search: 21 queries',
    'v2 list: userName',
    'v2 list: inUserIds',
    'v2 list: phone',
    'by login name',
    'get b|1',
    'get b-4',
    'get b-6',
    'get b-7',
    'get b-21',
    'get b-22',
    'v2 get b-4',
    'v2 get b-6',
    'v2 get b-7',
    'v2 get b-21',
    'v2 get b-22',
    'v2 human returnCode',
    'token: client credentials',
  ],
};

export const meantDifferences: readonly Difference[] = [
  {
    reason: 'each installation has a generated domain with six letters of its own',
    only: 'values',
    calls: ['auth: instance owner', 'auth: instance viewer'],
  },
  {
    reason: 'the interface description has this verb beside `POST`, and clients are written for it',
    calls: ['405 users/human PUT'],
  },
  {
    reason: 'the first generation of actions is served as the interface description has it',
    calls: ['v3alpha targets'],
  },
  {
    reason: 'the interface description has `data_orgsv1` as a text, and clients are written for it',
    calls: ['bulk: v1 string'],
  },
  {
    reason:
      'hosts of targets are not looked up while private targets are allowed, so that a rehearsal needs no network; ' +
      'with `--no-allow-private-targets` the answer is that of the service',
    calls: ['v2 target endpoint 1001'],
  },
];

/** With the one organization that `serve` prints, in the recording of the installation with all verifiers. */
export const ownOrganization: Difference = {
  reason:
    'that recording names an organization that is not the one of the callers, and many of its calls have no organization ' +
    'header, so they find nothing; with the one organization that `serve` prints they find it. With an organization of ' +
    'its own for the calls they answer as recorded, which the test proves',
  calls: [
    'auth: memberships orgOwner',
    'auth: org by id *',
    'auth: orgs search *',
    'auth: orgs/me *',
    'auth: v2 orgs search *',
    'get *',
    'lang read *',
    'email read *',
    'phone read *',
    'md *',
    'grant *',
    'idps v1 search',
    'session pw none set',
    'state v1 *',
    'state v2 deactivate min',
    'state v2 lock min',
    'state v2 unlock min',
    'v1 delete',
    'v1 get deleted',
    'machine key',
    'machine pat',
    'machine secret',
    'pat for human',
    'token: client credentials',
    'token: client credentials bad secret',
    'export org*',
  ],
};

export function isAmong(name: string, { calls }: Difference): boolean {
  return calls.some((call) => (call.endsWith('*') ? name.startsWith(call.slice(0, -1)) : name === call));
}
