/** The body with a number of users, and the check that exactly these are at the server. */
import type { InspectableServer } from '../../src/server/index.ts';
import { bodyOf, metadataOf, sampleUser, userNames } from '../support/users-run.ts';
import type { Troubles } from './trouble.ts';

/** The hash of `user`. */
export const passwordHash = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';
/** The organization is there from the start. */
const org = '100';

const isInactive = (at: number) => at % 5 === 0;
const hasMetadata = (at: number) => at % 3 === 0;

export const bodyFor = (count: number) => bodyWith(count, () => ({}));

/** The same users some time later: one in four has changed. */
export const changedBodyFor = (count: number) =>
  bodyWith(count, (at) => (at % 4 === 1 ? { profile: { firstName: 'Changed', lastName: 'Since' } } : {}));

function bodyWith(count: number, more: (at: number) => object) {
  const names = userNames(count);
  return bodyOf(
    org,
    names.map((name, at) =>
      sampleUser(name, more(at), isInactive(at) ? { state: 'USER_STATE_INACTIVE' } : {}),
    ),
    metadataOf(...names.filter((_, at) => hasMetadata(at))),
  );
}

export const humansIn = ({ state: { store } }: InspectableServer) =>
  [...store.users.values()].filter(({ kind, orgId }) => kind === 'human' && orgId === org);

/** Every user once, with the state and the data of the body. Returns the rows that an id map must have. */
export function checkUsers(server: InspectableServer, count: number, troubles: Troubles) {
  const there = humansIn(server);
  const names = userNames(count);
  troubles.same('users at the server', there.map(({ userName }) => userName).toSorted(), names.toSorted());
  for (const { id, userName, status } of there) {
    const at = Number(userName.slice('user-'.length));
    troubles.same(`the state of ${userName}`, status, isInactive(at) ? 'inactive' : 'active');
    troubles.same(`the id of ${userName}`, id, `old-${userName}`);
  }
  const keyed = there.filter(({ metadata = {} }) => Object.keys(metadata).length === 1);
  troubles.same(
    'users with metadata',
    keyed.map(({ userName }) => userName).toSorted(),
    names.filter((_, at) => hasMetadata(at)).toSorted(),
  );
  return there.map(({ id, userName }) => `old-${userName},${id},created`);
}
