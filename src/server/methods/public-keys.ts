/** `/v2/actions/targets/{id}/publickeys`: keys that payloads are encrypted with. Their error ids are our own. */
import { pagination, paginationResponse } from '../../wire/details.ts';
import { bytes, list, message, optionalFlag, ruled, text, timestamp, flag } from '../../wire/message.ts';
import { createHash, createPublicKey } from 'node:crypto';
import { formatTimestamp } from '../../wire/scalars.ts';
import { requireTarget } from './targets.ts';
import { filtered, paginated, sortedBy } from '../paging.ts';
import type { Call } from '../context.ts';
import { existing, refusal } from '../errors.ts';
import { actions } from '../method.ts';
import type { TargetKeyRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

const write = 'action.target.write';

export const publicKeyMethods = [
  actions('AddPublicKey', 'POST /v2/actions/targets/:targetId/publickeys', write, {
    request: {
      publicKey: ruled(bytes, { min: 1, max: 8192 }),
      expirationDate: timestamp,
    },
    response: {
      keyId: text,
      creationDate: timestamp,
    },
    handle(call, request) {
      requireTarget(call, request.targetId, 'COMMAND-xj14f2cccn');
      const { store } = call;
      const now = store.now();
      const row = store.targetKeys.put({
        id: store.nextId(),
        targetId: request.targetId,
        ...readKey(request.publicKey),
        active: false,
        expires: request.expirationDate === '' ? 0 : Date.parse(request.expirationDate),
        created: now,
        changed: now,
      });
      return { keyId: row.id, creationDate: formatTimestamp(now) };
    },
  }),
  actions('ActivatePublicKey', 'POST /v2/actions/targets/:targetId/publickeys/:keyId/activate', write, {
    response: { changeDate: timestamp },
    handle: (call, request) => ({ changeDate: switchKey(call, request, true) }),
  }),
  actions('DeactivatePublicKey', 'POST /v2/actions/targets/:targetId/publickeys/:keyId/deactivate', write, {
    response: { changeDate: timestamp },
    handle: (call, request) => ({ changeDate: switchKey(call, request, false) }),
  }),
  actions('RemovePublicKey', 'DELETE /v2/actions/targets/:targetId/publickeys/:keyId', write, {
    response: { deletionDate: timestamp },
    handle({ store }, request) {
      const row = findKey(store, request);
      if (row?.active === true) throw refusal('IDPORT-keyActive');
      if (row === undefined) return {};
      store.targetKeys.delete(row.id);
      return { deletionDate: formatTimestamp(store.now()) };
    },
  }),
  actions('ListPublicKeys', 'POST /v2/actions/targets/:targetId/publickeys/search', 'action.target.read', {
    request: {
      pagination,
      filters: list(
        message(
          'PublicKeySearchFilter',
          {
            keyIdsFilter: message('InIDsFilter', { ids: list(text) }),
            activeFilter: optionalFlag,
          },
          {
            fullName: 'zitadel.action.v2.PublicKeySearchFilter',
            oneofs: [{ name: 'filter', members: ['keyIdsFilter', 'activeFilter'] }],
          },
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
      const sorted = sortedBy(rows, ({ created }) => created);
      const { pagination, shown } = paginated(sorted, asked, showKey);
      return { pagination, publicKeys: shown };
    },
  }),
];

interface KeyId {
  readonly targetId: string;
  readonly keyId: string;
}

function findKey({ targetKeys }: Store, { targetId, keyId }: KeyId): TargetKeyRow | undefined {
  const row = targetKeys.get(keyId);
  return row?.targetId === targetId ? row : undefined;
}

/** One key at most is active. Gives the time of the change. */
function switchKey({ store }: Call, id: KeyId, active: boolean): string {
  const row = existing(findKey(store, id), 'IDPORT-noKey');
  if (row.active === active) return formatTimestamp(row.changed);
  const now = store.now();
  const { targetKeys } = store;
  for (const other of active ? targetKeys.by('target', id.targetId) : []) {
    if (other.active) targetKeys.put({ ...other, active: false, changed: now });
  }
  targetKeys.put({ ...row, active, changed: now });
  return formatTimestamp(now);
}

/** Base64 of a PEM in; RSA and EC keys only. */
function readKey(publicKey: string): { publicKey: string; fingerprint: string } {
  const pem = Buffer.from(publicKey, 'base64').toString();
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'ec') throw new Error('another kind');
    const der = key.export({ type: 'spki', format: 'der' });
    const hash = createHash('sha256').update(der).digest('base64').replace(/=+$/, '');
    return { publicKey: pem, fingerprint: `SHA256:${hash}` };
  } catch {
    throw refusal('IDPORT-badKey');
  }
}

function showKey(row: TargetKeyRow) {
  return {
    keyId: row.id,
    active: row.active,
    publicKey: Buffer.from(row.publicKey).toString('base64'),
    fingerprint: row.fingerprint,
    expirationDate: row.expires === 0 ? '' : formatTimestamp(row.expires),
    creationDate: formatTimestamp(row.created),
    changeDate: formatTimestamp(row.changed),
  };
}
