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
interface Target {
  /** The strength of the rule that found them; 0 for no user. */
  readonly rank: 0 | 1 | 2 | 3 | 4 | 5;
  readonly sampleUsers: ReadonlySet<string>;
}

interface CheckedRecord {
  readonly line: ReferenceLine;
  readonly target: Target;
}

/** What every user ends with. */
export function joinPlainly(users: readonly ReferenceUser[], lines: readonly ReferenceLine[]) {
  const judged = lines.map((line) => ({ line, target: targetOf(users, line) }));
  return users.map(({ id }) => endingOf(id, judged));
}

function targetOf(users: readonly ReferenceUser[], line: ReferenceLine): Target {
  const sampleUsers = (test: (user: ReferenceUser) => boolean) =>
    new Set(users.filter(test).map(({ id }) => id));
  const { alternateId, objectId, email, connection } = line;
  const rules: readonly (readonly [Target['rank'], string, (user: ReferenceUser) => boolean])[] = [
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
    if (found.size > 0) return { rank, sampleUsers: found };
  }
  const holders = email === '' ? new Set<string>() : sampleUsers((user) => user.email === email);
  const against = users.some(
    ({ id, connections }) =>
      holders.has(id) && connections !== undefined && (connections.length === 0 || connection !== ''),
  );
  return holders.size === 0 || (holders.size === 1 && against)
    ? { rank: 0, sampleUsers: new Set() }
    : { rank: 5, sampleUsers: holders };
}

function endingOf(id: string, judged: readonly CheckedRecord[]) {
  const named = judged.filter(({ target }) => target.sampleUsers.has(id));
  const claims = named.filter(({ target }) => target.sampleUsers.size === 1);
  const rank = Math.min(...claims.map(({ target }) => target.rank));
  const best = claims.filter(({ target }) => target.rank === rank);
  const [first] = best;
  if (first === undefined) return named.length > 0 ? 'ambiguous' : 'none';
  const contradictory = best.some(({ line }) => line.hash !== first.line.hash);
  if (rank <= 3) return contradictory ? 'conflict' : first.line;
  if (claims.some((claim) => claim.target.rank >= 4 && isDisputed(claim, judged))) return 'conflict';
  if (rank === 4) return contradictory ? 'conflict' : first.line;
  const isShared = judged.some(({ line, target }) => line.email === first.line.email && !isOnly(target, id));
  return contradictory || isShared ? 'ambiguous' : first.line;
}

/** Its id is no user's, and is also on another such line, which is not of the same user. */
function isDisputed({ line, target }: CheckedRecord, judged: readonly CheckedRecord[]) {
  const idOf = ({ alternateId, objectId }: ReferenceLine) => alternateId || objectId;
  const [sampleUser = ''] = target.sampleUsers;
  return (
    idOf(line) !== '' &&
    judged.some(
      (other) =>
        idOf(other.line) === idOf(line) && other.target.rank >= 4 && !isOnly(other.target, sampleUser),
    )
  );
}

function isOnly({ sampleUsers }: Target, id: string) {
  return sampleUsers.size === 1 && sampleUsers.has(id);
}
