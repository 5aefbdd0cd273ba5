/** Import steps for users, their second factors, service users, metadata, keys and links. */
import { maxRecoveryCodes } from '../../records/field-rules.ts';
import { isRecoveryCodeHash } from '../../profiles/server-verdict.ts';
import type { DataHumanUser, DataMachineUser } from '../../wire/import.ts';
import { existing, refusal } from '../errors.ts';
import type { UserRow } from '../store/rows.ts';
import { addLink, addRecoveryCodes, setMetadata, setOtp } from '../users/change.ts';
import { createMachine, importHuman } from '../users/create.ts';
import { attempt, step, type StepContext, type Step } from './step.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

/** Only these two states have an effect. */
const setStates: Readonly<Record<string, 'inactive' | 'locked'>> = {
  USER_STATE_INACTIVE: 'inactive',
  USER_STATE_LOCKED: 'locked',
};

const orgUser = (
  { store, orgId }: StepContext,
  userId: string,
  errorId: ServiceErrorId = 'COMMAND-uXHNj',
): UserRow => existing(store.users.get(userId), errorId, orgId);

const humans = step('humanUsers', {
  isUser: true,
  store: (context, { userId, user, state }) =>
    importHuman(
      context,
      {
        orgId: context.orgId,
        editor: context.editor,
        userId,
        state: setStates[state],
        ...(context.settings.isSeed === true && state !== 'USER_STATE_UNSPECIFIED'
          ? { isInitial: state === 'USER_STATE_INITIAL' }
          : {}),
      },
      user,
    ),
  succeed: 'humanUserIds',
  async afterwards(context, item) {
    if (item.user.otpCode !== '') {
      await attempt(context, 'human_user_otp', item.userId, () => addOtp(context, item));
    }
    if (item.user.recoveryCodes.length > 0) {
      await attempt(context, 'human_user_recovery_codes', item.userId, () => addCodes(context, item));
    }
  },
});

/** Also for a user who existed before. */
function addOtp(context: StepContext, { userId, user }: DataHumanUser): void {
  const row = orgUser(context, userId);
  if (row.more?.otpSecret !== undefined) throw refusal('COMMAND-do9se');
  setOtp(context, row, user.otpCode);
}

async function addCodes(context: StepContext, { userId, user }: DataHumanUser): Promise<void> {
  const row = orgUser(context, userId);
  const known = row.more?.recoveryCodes?.length ?? 0;
  if (known + user.recoveryCodes.length > maxRecoveryCodes) throw refusal('COMMAND-53cjw');
  const hashes: string[] = [];
  for (const { raw, hash } of user.recoveryCodes) {
    if (raw) hashes.push(await context.settings.hashPassword(raw));
    else if (hash !== undefined && isRecoveryCodeHash(hash)) hashes.push(hash);
    else throw refusal('DOMAIN-JDk4t');
  }
  addRecoveryCodes(context, orgUser(context, userId), hashes);
}

const machines = step('machineUsers', {
  isUser: true,
  store: addMachine,
  succeed: 'machineUserIds',
});

/** The inner id counts; without it the server chooses one, and keys and grants of the same body are refused. */
function addMachine(context: StepContext, { user, state }: DataMachineUser): void {
  createMachine(context, context.org(), context.editor, {
    ...user,
    tokenType: user.accessTokenType,
    state: setStates[state],
  });
}

const metadata = step('userMetadata', {
  store: (context, item) => setMetadata(context, orgUser(context, item.id), [item]),
  succeed: (success, item) => success.userMetadata.push({ userId: item.id, key: item.key }),
});

const machineKeys = step('machineKeys', {
  store(context, key) {
    const { store } = context;
    const user = orgUser(context, key.userId, 'COMMAND-bnipwm1');
    const keyId = key.keyId === '' ? store.nextId() : key.keyId;
    if (store.machineKeys.has(keyId)) throw refusal('COMMAND-091mops');
    store.machineKeys.put({ id: keyId, orgId: user.orgId, userId: user.id, key: { ...key, keyId } });
  },
  succeed: 'machineKeys',
});

const links = step('userLinks', {
  store: (context, item) =>
    addLink(context, orgUser(context, item.userId, 'COMMAND-vzktar7b7f'), {
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
export const userSteps: readonly Step[] = [humans, machines, metadata, machineKeys, links];
