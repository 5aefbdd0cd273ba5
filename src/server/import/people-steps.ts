/** Persons with their second factors, service accounts, metadata, keys and links, each as a step of the import. */
import { maxRecoveryCodes } from '../../records/field-rules.ts';
import { isRecoveryCodeHash } from '../../profiles/server-verdict.ts';
import { grpcCodes } from '../../wire/errors.ts';
import type { DataHumanUser, DataMachineUser } from '../../wire/org-data.ts';
import { refusal } from '../errors.ts';
import type { UserRow } from '../store/rows.ts';
import { addLink, addRecoveryCodes, setMetadata, setOtp } from '../users/change.ts';
import { createMachine } from '../users/create-machine.ts';
import { importHuman } from '../users/import-human.ts';
import { attempt } from './job.ts';
import { step } from './step.ts';
import type { Place, Step } from './step.ts';

/** Only these two act; the others are as if nothing was said. */
const setStates: Readonly<Record<string, 'inactive' | 'locked'>> = {
  USER_STATE_INACTIVE: 'inactive',
  USER_STATE_LOCKED: 'locked',
};

function orgUser(place: Place, userId: string, errorId: string): UserRow {
  const user = place.job.store.users.get(userId);
  if (user === undefined || user.orgId !== place.org().id) {
    throw refusal(grpcCodes.failedPrecondition, errorId, 'Errors.User.NotFound');
  }
  return user;
}

const humans = step<DataHumanUser>({
  items: (data) => data.humanUsers,
  type: 'human_user',
  id: (_, item) => item.userId,
  isUser: true,
  store: (place, { userId, user, state }) =>
    importHuman(
      place.job,
      { orgId: place.org().id, editor: place.job.editor, userId, state: setStates[state] },
      user,
    ),
  succeed: (success, item) => success.humanUserIds.push(item.userId),
  async afterwards(place, item) {
    const { job } = place;
    if (item.user.otpCode !== '') {
      await attempt(job, 'human_user_otp', item.userId, () => addOtp(place, item));
    }
    if (item.user.recoveryCodes.length > 0) {
      await attempt(job, 'human_user_recovery_codes', item.userId, () => addCodes(place, item), {
        withParent: true,
      });
    }
  },
});

/** Also for somebody who was there before: the first run without, the second with. */
function addOtp(place: Place, { userId, user }: DataHumanUser): void {
  const row = orgUser(place, userId, 'COMMAND-uXHNj');
  if (row.more?.otpSecret !== undefined) {
    throw refusal(grpcCodes.alreadyExists, 'COMMAND-do9se', 'Errors.User.MFA.OTP.AlreadyReady');
  }
  setOtp(place.job, row, user.otpCode);
}

async function addCodes(place: Place, { userId, user }: DataHumanUser): Promise<void> {
  const row = orgUser(place, userId, 'COMMAND-uXHNj');
  const known = row.more?.recoveryCodes?.length ?? 0;
  if (known + user.recoveryCodes.length > maxRecoveryCodes) {
    const key = 'Errors.User.MFA.RecoveryCodes.MaxCountExceeded';
    throw refusal(grpcCodes.failedPrecondition, 'COMMAND-53cjw', key);
  }
  const hashes: string[] = [];
  for (const { raw, hash } of user.recoveryCodes) {
    if (raw) hashes.push(await place.job.settings.hashPassword(raw));
    else if (isRecoveryCodeHash(hash)) hashes.push(hash);
    else throw refusal(grpcCodes.invalidArgument, 'DOMAIN-JDk4t', 'Errors.Hash.NotSupported');
  }
  addRecoveryCodes(place.job, orgUser(place, userId, 'COMMAND-uXHNj'), hashes);
}

const machines = step<DataMachineUser>({
  items: (data) => data.machineUsers,
  type: 'machine_user',
  id: (_, item) => item.userId,
  isUser: true,
  store: addMachine,
  succeed: (success, item) => success.machineUserIds.push(item.userId),
});

/** The inner id counts; without it the server chooses, and keys and grants of the same body find nobody. */
function addMachine(place: Place, { user, state }: DataMachineUser): void {
  createMachine(place.job, place.org(), place.job.editor, {
    userId: user.userId,
    userName: user.userName,
    name: user.name,
    description: user.description,
    tokenType: user.accessTokenType,
    state: setStates[state],
  });
}

const metadata = step({
  items: (data) => data.userMetadata,
  type: 'user_metadata',
  id: (_, item) => `${item.id}_${item.key}`,
  store: (place, item) => setMetadata(place.job, orgUser(place, item.id, 'COMMAND-uXHNj'), [item]),
  succeed: (success, item) => success.userMetadata.push({ userId: item.id, key: item.key }),
});

const machineKeys = step({
  items: (data) => data.machineKeys,
  type: 'machine_user_key',
  id: (_, item) => item.keyId,
  store(place, key) {
    const { store } = place.job;
    const user = orgUser(place, key.userId, 'COMMAND-bnipwm1');
    const keyId = key.keyId === '' ? store.nextId() : key.keyId;
    if (store.machineKeys.has(keyId)) {
      throw refusal(grpcCodes.alreadyExists, 'COMMAND-091mops', 'Errors.User.Machine.Key.AlreadyExists');
    }
    store.machineKeys.put({ id: keyId, orgId: user.orgId, userId: user.id, key: { ...key, keyId } });
  },
  succeed: (success, item) => success.machineKeys.push(item.keyId),
});

const links = step({
  items: (data) => data.userLinks,
  type: 'user_link',
  id: (_, item) => `${item.userId}_${item.idpId}`,
  store: (place, item) =>
    addLink(place.job, orgUser(place, item.userId, 'COMMAND-vzktar7b7f'), {
      idpId: item.idpId,
      externalUserId: item.providedUserId,
      displayName: item.providedUserName,
    }),
  succeed: (success, item) =>
    success.userLinks.push({
      userId: item.userId,
      idpId: item.idpId,
      externalUserId: item.providedUserId,
      displayName: item.providedUserName,
    }),
});

/** In the order of the service. */
export const peopleSteps: readonly Step[] = [humans, machines, metadata, machineKeys, links];
