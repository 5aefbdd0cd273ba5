/** Targets of both generations and the keys that encrypt their payloads, with the service's refusals. */
import { createHash, createPublicKey } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { details, pagination, paginationResponse, query } from '../../wire/details.ts';
import {
  bytes,
  exclusive,
  flag,
  list,
  message,
  optionalFlag,
  ruled,
  text,
  timestamp,
} from '../../wire/message.ts';
import { durationMs } from '../../wire/scalars.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import { never } from '../accounts.ts';
import { isDeniedHost } from '../actions/call-target.ts';
import { type Call, actions, actionsV3 } from '../method.ts';
import { existing, invalid, refusal, refuseIf, requireUnique } from '../errors.ts';
import { byText, defaultPage, filtered, listV1, pageFrom, pageOf, paginated, sortedBy } from '../paging.ts';
import { makeRoom } from '../recent.ts';
import type { TargetKeyRow, TargetRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { defined } from '../users/change.ts';
import { lettersAndDigits, randomText } from '../users/create.ts';
import { expiry } from './credentials.ts';
import { datesOf, instanceDetails } from '../users/show.ts';
import * as wire from '../../wire/actions.ts';

export const targetMethods = [
  actions('CreateTarget', 'POST /v2/actions/targets', 'action.target.write', {
    request: wire.createTargetRequest,
    response: wire.createTargetResponse,
    async handle(call, request) {
      const row = await createTarget(call, request);
      return { id: row.id, creationDate: row.created, signingKey: row.signingKey };
    },
  }),
  actions('UpdateTarget', 'POST /v2/actions/targets/:id', 'action.target.write', {
    request: wire.updateTargetRequest,
    response: wire.updateTargetResponse,
    async handle(call, { id, ...request }) {
      const row = await changeTarget(call, id, request);
      const key = request.expirationSigningKey !== '' ? { signingKey: row.signingKey } : {};
      return { changeDate: row.changed, ...key };
    },
  }),
  actions('DeleteTarget', 'DELETE /v2/actions/targets/:id', 'action.target.delete', {
    response: { deletionDate: timestamp },
    handle(call, { id }) {
      const deleted = deleteTarget(call, id);
      return deleted === undefined ? {} : { deletionDate: deleted };
    },
  }),
  actions('GetTarget', 'GET /v2/actions/targets/:id', 'action.target.read', {
    response: wire.getTargetResponse,
    handle: (call, { id }) => ({ target: showTarget(requireTarget(call, id, 'QUERY-hj5oaniyrz')) }),
  }),
  actions('ListTargets', 'POST /v2/actions/targets/search', 'action.target.read', {
    request: wire.listTargetsRequest,
    response: wire.listTargetsResponse,
    handle(call, { filters, pagination: asked, sortingColumn }) {
      const rows = filtered(call.store.targets.values(), filters, {
        inTargetIdsFilter:
          ({ targetIds }) =>
          ({ id }) =>
            targetIds.includes(id),
        targetNameFilter: byText(({ name }) => name),
      });
      const column = columns[String(sortingColumn).replace('TARGET_FIELD_NAME_', '')] ?? 'created';
      const sorted = sortedBy(rows, (row) => row[column]);
      return paginated('targets', sorted, asked, showTarget);
    },
  }),
];

function showTarget(row: TargetRow) {
  return {
    id: row.id,
    ...datesOf(row),
    ...wire.writeBasics(row),
    signingKey: row.signingKey,
    payloadType: row.payloadType,
  } as const;
}

/** `/v3alpha/targets`: the first generation, as the interface description shows it. */
export const targetMethodsV3 = [
  actionsV3('CreateTarget', 'POST /v3alpha/targets', 'action.target.write', {
    request: wire.createTargetV3Request,
    response: { id: text, details, signingKey: text },
    status: 201,
    async handle(call, request) {
      if (request.timeout === '') throw invalid('invalid CreateTargetRequest.Timeout: value is required');
      const row = await createTarget(call, request);
      return { id: row.id, details: instanceDetails(call, row), signingKey: row.signingKey };
    },
  }),
  actionsV3('UpdateTarget', 'PUT /v3alpha/targets/:targetId', 'action.target.write', {
    request: wire.updateTargetV3Request,
    async handle(call, { targetId, ...request }) {
      return instanceDetails(call, await changeTarget(call, targetId, request));
    },
  }),
  actionsV3('DeleteTarget', 'DELETE /v3alpha/targets/:targetId', 'action.target.delete', {
    handle(call, { targetId }) {
      const row = requireTarget(call, targetId, 'COMMAND-k4s7ucu0ax');
      deleteTarget(call, targetId);
      return instanceDetails(call, { ...row, changed: call.store.now() });
    },
  }),
  actionsV3('GetTargetByID', 'GET /v3alpha/targets/:targetId', 'action.target.read', {
    response: wire.getTargetV3Response,
    handle: (call, { targetId }) => ({
      target: showTargetV3(call, requireTarget(call, targetId, 'QUERY-hj5oaniyrz')),
    }),
  }),
  actionsV3('ListTargets', 'POST /v3alpha/targets/search', 'action.target.read', {
    request: { query },
    response: wire.listTargetsV3Response,
    handle(call, { query }) {
      const found = pageFrom(call.store.targets.list(), pageOf(query, defaultPage));
      return listV1(call, 'targets', found, (row) => showTargetV3(call, row));
    },
  }),
];

const showTargetV3 = (call: Call, row: TargetRow) => ({
  targetId: row.id,
  details: instanceDetails(call, row),
  ...wire.writeBasics(row),
});

/** Fields of a target in a request of either generation. In a change, absent fields keep their value. */
interface RequestedTarget extends wire.TargetTypes {
  readonly name?: string | undefined;
  readonly endpoint?: string | undefined;
  /** A protobuf duration as text. Empty if not set. */
  readonly timeout: string;
  /** The first generation has none. */
  readonly payloadType?: wire.PayloadType | number;
}

/** Returns what a request sets. A payload type without a name counts as not set. */
function setFields({ name, endpoint, timeout, payloadType, ...types }: RequestedTarget) {
  const isSet = typeof payloadType === 'string' && payloadType !== 'PAYLOAD_TYPE_UNSPECIFIED';
  return defined({
    name,
    endpoint,
    timeoutMs: timeout === '' ? undefined : durationMs(timeout),
    payloadType: isSet ? payloadType : undefined,
    ...wire.readKind(types),
  });
}

async function createTarget(call: Call, request: RequestedTarget & { name: string; endpoint: string }) {
  const { store } = call;
  refuseIf(durationMs(request.timeout) === 0, 'COMMAND-39f35d8uri');
  await requireEndpoint(call, request.endpoint, 'COMMAND-1r2k6qo6wg');
  const id = store.nextId();
  requireFreeName(call, request.name, id);
  const now = store.now();
  return store.targets.put({
    id,
    payloadType: 'PAYLOAD_TYPE_UNSPECIFIED',
    ...(setFields(request) as wire.TargetBasics),
    signingKey: newSigningKey(),
    created: now,
    changed: now,
    sequence: 1,
  });
}

async function changeTarget(
  call: Call,
  id: string,
  { expirationSigningKey = '', ...request }: RequestedTarget & { expirationSigningKey?: string },
) {
  const change = setFields(request);
  refuseIf(change.timeoutMs === 0, 'COMMAND-08b39vdi57');
  if (change.endpoint !== undefined) await requireEndpoint(call, change.endpoint, 'COMMAND-jsbaera7b6');
  const before = requireTarget(call, id, 'COMMAND-xj14f2cccn');
  if (change.name !== undefined) requireFreeName(call, change.name, id);
  const { signingKey } = expirationSigningKey === '' ? before : { signingKey: newSigningKey() };
  const after = { ...before, ...change, signingKey };
  if (isDeepStrictEqual(after, before)) return before;
  return call.store.targets.put({ ...after, changed: call.store.now(), sequence: before.sequence + 1 });
}

function requireFreeName({ store }: Call, name: string, id: string) {
  const taken = store.targets.list().some((target) => target.name === name && target.id !== id);
  requireUnique(taken, 'Target');
}

export const requireTarget = ({ store }: Call, id: string, errorId: ServiceErrorId) =>
  existing(store.targets.get(id), errorId);

async function requireEndpoint({ settings }: Call, endpoint: string, errorId: ServiceErrorId) {
  // Go cannot parse these. Any other address without an allowed host is denied.
  refuseIf(/^:|[\0-\x1f\x7f]|%(?![\da-f]{2})/i.test(endpoint), errorId);
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const callable = url !== undefined && /^https?:$/.test(url.protocol);
  refuseIf(
    !callable || (!settings.allowPrivateTargets && (await isDeniedHost(url.hostname))),
    'COMMAND-NcJUKo',
  );
}

/**
 * Deletes a target with its keys and removes it from every execution. Returns the time of the deletion, even of an
 * earlier one.
 */
function deleteTarget({ store, settings }: Call, id: string) {
  const { targets, targetKeys, executions, deletedTargets } = store;
  if (!targets.has(id)) return deletedTargets.get(id)?.deleted;
  targetKeys.deleteBy('target', id);
  for (const row of executions.values()) {
    if (!row.targets.includes(id)) continue;
    executions.put({ ...row, targets: row.targets.filter((target) => target !== id) });
  }
  targets.delete(id);
  makeRoom(deletedTargets, settings.keptRows);
  return deletedTargets.put({ id, deleted: store.now() }).deleted;
}

/** Returns 36 letters and digits, as the service does. */
const newSigningKey = () => randomText(36, lettersAndDigits);

/** What is compared, by the column's name. Any other column sorts by creation date. */
const columns: Readonly<Record<string, keyof TargetRow>> = {
  ID: 'id',
  CHANGED_DATE: 'changed',
  NAME: 'name',
  TARGET_TYPE: 'kind',
  URL: 'endpoint',
  TIMEOUT: 'timeoutMs',
  INTERRUPT_ON_ERROR: 'interruptOnError',
};

const write = 'action.target.write';
const keysPath = '/v2/actions/targets/:targetId/publickeys';

export const publicKeyMethods = [
  actions('AddPublicKey', `POST ${keysPath}`, write, {
    request: { publicKey: ruled(bytes, { min: 1, max: 8192 }), expirationDate: timestamp },
    response: { keyId: text, creationDate: timestamp },
    handle(call, request) {
      const { store } = call;
      const now = store.now();
      const expires = expiry(call, request.expirationDate, 'ErrExpirationDateBeforeNow');
      const key = readKey(request.publicKey);
      requireTarget(call, request.targetId, 'COMMAND-nd3fsd');
      const row = store.targetKeys.put({
        id: store.nextId(),
        targetId: request.targetId,
        ...key,
        active: false,
        expires,
        created: now,
        changed: now,
      });
      return { keyId: row.id, creationDate: now };
    },
  }),
  ...['Activate', 'Deactivate'].map((name) =>
    actions(`${name}PublicKey`, `POST ${keysPath}/:keyId/${name.toLowerCase()}`, write, {
      response: { changeDate: timestamp },
      handle: (call, request) => ({ changeDate: switchKey(call, request, name === 'Activate') }),
    }),
  ),
  actions('RemovePublicKey', `DELETE ${keysPath}/:keyId`, write, {
    response: { deletionDate: timestamp },
    handle({ store }, request) {
      const row = findKey(store, request);
      refuseIf(row?.active === true, 'ErrPublicKeyDeleteActiveKey');
      if (row === undefined) return {};
      store.targetKeys.delete(row.id);
      return { deletionDate: store.now() };
    },
  }),
  actions('ListPublicKeys', `POST ${keysPath}/search`, 'action.target.read', {
    request: {
      pagination,
      filters: list(
        message(
          'zitadel.action.v2.PublicKeySearchFilter',
          exclusive('filter', {
            keyIdsFilter: message('InIDsFilter', { ids: list(text) }),
            activeFilter: optionalFlag,
          }),
        ),
      ),
    },
    response: {
      pagination: paginationResponse,
      publicKeys: list({
        keyId: text,
        active: flag,
        publicKey: bytes,
        fingerprint: text,
        expirationDate: timestamp,
        creationDate: timestamp,
        changeDate: timestamp,
      }),
    },
    handle({ store }, { targetId, filters, pagination: asked }) {
      const rows = filtered(store.targetKeys.by('target', targetId), filters, {
        keyIdsFilter:
          ({ ids }) =>
          ({ id }) =>
            ids.includes(id),
        activeFilter: (active) => (row) => row.active === active,
      });
      return paginated('publicKeys', rows, asked, showKey);
    },
  }),
];

interface KeyId {
  readonly targetId: string;
  readonly keyId: string;
}

function findKey({ targetKeys }: Store, { targetId, keyId }: KeyId) {
  const row = targetKeys.get(keyId);
  return row?.targetId === targetId ? row : undefined;
}

/** Activates or deactivates a key and returns the time of the change. At most one key of a target is active. */
function switchKey({ store }: Call, id: KeyId, active: boolean) {
  const row = existing(findKey(store, id), 'COMMAND-SAF4g');
  const now = store.now();
  if (active && row.expires < now) throw refusal('COMMAND-SAF4g', { key: 'Errors.Target.PublicKeyExpired' });
  if (row.active === active) return row.changed;
  const { targetKeys } = store;
  for (const other of active ? targetKeys.by('target', id.targetId) : []) {
    if (other.active) targetKeys.put({ ...other, active: false, changed: now });
  }
  targetKeys.put({ ...row, active, changed: now });
  return now;
}

/** Reads a PEM in base64. Throws unless it is an RSA or EC key. */
function readKey(publicKey: string) {
  const pem = Buffer.from(publicKey, 'base64').toString();
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'ec') throw new Error('another kind');
    const der = key.export({ type: 'spki', format: 'der' });
    const hash = createHash('sha256').update(der).digest('base64').replace(/=+$/, '');
    return { publicKey: pem, fingerprint: `SHA256:${hash}` };
  } catch {
    throw refusal('ErrPublicKeyFormat');
  }
}

function showKey(row: TargetKeyRow) {
  return {
    keyId: row.id,
    active: row.active,
    publicKey: Buffer.from(row.publicKey).toString('base64'),
    fingerprint: row.fingerprint,
    expirationDate: row.expires === never ? '' : row.expires,
    ...datesOf(row),
  };
}
