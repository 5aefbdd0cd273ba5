/** The rules of the join written down plainly, over all users and all lines at once: what the join is compared with. */

export interface ReferenceUser {
  readonly id: string;
  readonly email: string;
  /** Ids of database accounts. */
  readonly accounts: readonly string[];
  /** Undefined where the export does not say. */
  readonly connections: readonly string[] | undefined;
}

export interface ReferenceLine {
  readonly alternateId: string;
  readonly objectId: string;
  readonly email: string;
  readonly connection: string;
  readonly hash: string;
}

export type Ending = { readonly hash: string } | 'none' | 'conflict' | 'ambiguous';

/** Users are known by their ids: several records of one id are one user. */
interface Judged {
  readonly line: ReferenceLine;
  /** The strength of the rule that found the users; 0 for no user. */
  readonly rank: number;
  readonly sampleUsers: ReadonlySet<string>;
}

/** What every user ends with. */
export function joinPlainly(users: readonly ReferenceUser[], lines: readonly ReferenceLine[]) {
  const judged = lines.map((line) => judge(users, line));
  return users.map(({ id }) => endingOf(id, judged));
}

function judge(users: readonly ReferenceUser[], line: ReferenceLine): Judged {
  const sampleUsers = (test: (user: ReferenceUser) => boolean) =>
    new Set(users.filter(test).map(({ id }) => id));
  const { alternateId, objectId, email, connection } = line;
  const rules: readonly (readonly [rank: number, string, (user: ReferenceUser) => boolean])[] = [
    [1, alternateId, ({ id }) => id === `auth0|${alternateId}`],
    [2, objectId, ({ id }) => id === `auth0|${objectId}`],
    [3, alternateId, ({ accounts }) => accounts.includes(alternateId)],
    [3, objectId, ({ accounts }) => accounts.includes(objectId)],
    [
      4,
      email && connection,
      (user) => user.email === email && user.connections?.includes(connection) === true,
    ],
  ];
  for (const [rank, known, test] of rules) {
    const found = known === '' ? new Set<string>() : sampleUsers(test);
    if (found.size > 0) return { line, rank, sampleUsers: found };
  }
  const holders = email === '' ? new Set<string>() : sampleUsers((user) => user.email === email);
  const against = users.some(
    ({ id, connections }) =>
      holders.has(id) && connections !== undefined && (connections.length === 0 || connection !== ''),
  );
  return holders.size === 0 || (holders.size === 1 && against)
    ? { line, rank: 0, sampleUsers: new Set() }
    : { line, rank: 5, sampleUsers: holders };
}

function endingOf(id: string, judged: readonly Judged[]) {
  const named = judged.filter(({ sampleUsers }) => sampleUsers.has(id));
  const claims = named.filter(({ sampleUsers }) => sampleUsers.size === 1);
  const rank = Math.min(...claims.map((claim) => claim.rank));
  const best = claims.filter((claim) => claim.rank === rank);
  const [first] = best;
  if (first === undefined) return named.length > 0 ? 'ambiguous' : 'none';
  const contradictory = best.some(({ line }) => line.hash !== first.line.hash);
  if (rank <= 3) return contradictory ? 'conflict' : first.line;
  if (claims.some((claim) => claim.rank >= 4 && isDisputed(claim, judged))) return 'conflict';
  if (rank === 4) return contradictory ? 'conflict' : first.line;
  const isShared = judged.some((other) => other.line.email === first.line.email && !isOnly(other, id));
  return contradictory || isShared ? 'ambiguous' : first.line;
}

/** Its id is no user's, and is also on another such line, which is not of the same user. */
function isDisputed({ line, sampleUsers }: Judged, judged: readonly Judged[]) {
  const idOf = ({ alternateId, objectId }: ReferenceLine) => alternateId || objectId;
  const [sampleUser = ''] = sampleUsers;
  return (
    idOf(line) !== '' &&
    judged.some((other) => idOf(other.line) === idOf(line) && other.rank >= 4 && !isOnly(other, sampleUser))
  );
}

function isOnly({ sampleUsers }: Judged, id: string) {
  return sampleUsers.size === 1 && sampleUsers.has(id);
}
