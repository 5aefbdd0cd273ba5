/** What to do about a refusal, in one sentence. docs/api-errors.md shows this table. */
import { holdsInOrg, neededFor } from './permissions.ts';

export interface Refusal {
  readonly method: string;
  readonly path: string;
  /** Absent where there was no response. */
  readonly status?: number | undefined;
  readonly id?: string | undefined;
  /** gRPC code. */
  readonly code?: number | undefined;
  readonly message: string;
  /** Code of a network failure. */
  readonly network?: string | undefined;
  /** The organization that the call named; undefined where it named none. */
  readonly org?: string | undefined;
}

/**
 * A row holds when everything that it names fits; the first that holds counts. A remedy is written for all verbs: what
 * names a flag stands in a sentence of its own, because a verb that has no such flag leaves that sentence out
 * (`cli/advice.ts`), and something is left to do without it.
 */
export interface RemedyRow {
  readonly status?: readonly number[];
  readonly id?: readonly string[];
  readonly text?: RegExp;
  readonly network?: RegExp;
  readonly remedy: (refusal: Refusal) => string;
}

const tokenHint =
  'Give a token that is valid now with --token-file or IDPORT_TOKEN, or the key file of a service user; ' +
  '`idport token --check` looks at one.';

export const remedies: readonly RemedyRow[] = [
  {
    id: ['AUTH-7fs1e'],
    remedy: () =>
      `The token has expired, was revoked, or is for another instance. ${tokenHint} ` +
      'A token that was made by hand also needs the scope urn:zitadel:iam:org:project:id:zitadel:aud.',
  },
  { id: ['AUTH-toLo1'], remedy: () => `The token is not of a form that the service knows. ${tokenHint}` },
  { status: [401], remedy: () => `The service did not take the token. ${tokenHint}` },
  {
    id: ['AUTH-5mWD2', 'AUTH-3jknH', 'AUTH-AWfge'],
    remedy: (refusal) => roleFor(refusal) ?? 'The service user has no role that allows this call.',
  },
  {
    id: ['AUTHZ-cdgFk'],
    remedy: (refusal) => {
      const { path, org } = refusal;
      const role = roleFor(refusal) ?? 'It needs a role: give it one there, under Managers.';
      if (!holdsInOrg(path)) return `The service user has no role at the instance. ${role}`;
      if (org !== undefined) return `The service user has no role in organization ${org}. ${role}`;
      return `The service user has no role in its own organization. ${role} If it has one elsewhere, name that with --org.`;
    },
  },
  {
    id: ['AUTH-Bs7Ds', 'QUERY-leq5Q', 'QUERY-iTTGJ'],
    remedy: ({ org }) =>
      `There is no organization ${org ?? ''} at this instance: check its id. Check --url. ` +
      '`idport import --create-org <name>` creates one.',
  },
  {
    id: ['LIMITS-molsj'],
    remedy: () => 'The instance is blocked by its operator. Ask them; repeating does not help.',
  },
  {
    id: ['QUOTA-vjAy8'],
    remedy: () =>
      'The quota of requests of this instance is used up. Raise it, or wait for the period to reset. ' +
      'Then go on with --resume.',
  },
  {
    id: ['COMMAND-NcJUKo'],
    remedy: () =>
      'The service calls http and https addresses only, and no loopback or private ones. Give a public --endpoint, ' +
      'or set its deny list to one that lets this address through, for example ' +
      'ZITADEL_HTTPCLIENT_DENYLIST=192.0.2.1/32; an empty list is ignored.',
  },
  {
    id: [
      'COMMAND-vysplsevt8',
      'COMMAND-qu6dfhiioq',
      'COMMAND-cdy39t0ksr',
      'COMMAND-74aaqj8fv9',
      'COMMAND-er5oneb5lz',
    ],
    remedy: () =>
      'The service has no such method, service, function or event: `idport actions execution names methods` ' +
      'lists what it has.',
  },
  {
    text: /Target\.AlreadyExists/,
    remedy: () => 'There is a target of this name already: `idport actions target list` shows it.',
  },
  {
    id: ['COMMAND-17e8fq1ggk'],
    remedy: () => 'There is no such target, or one is given twice: `idport actions target list` shows them.',
  },
  {
    id: ['COMMAND-xj14f2cccn', 'QUERY-hj5oaniyrz'],
    remedy: () => 'There is no such target: `idport actions target list` shows them.',
  },
  {
    id: ['EXEC-dra6yamk98', 'EXEC-reUaUZCzCp', 'EXEC-bmhNhpcqpF'],
    remedy: () =>
      'A target that is called before or after this method refused it, and it interrupts on error: ' +
      'its log says why, `idport actions execution list` shows which it is.',
  },
  {
    text: /NotEnabled|SCHEMA-141bwx3lef/,
    remedy: () => 'The feature is off at this instance: switch on "actions" in its feature settings.',
  },
  {
    status: [404],
    text: /unable to set instance|ExternalDomain/i,
    remedy: () =>
      'The service does not know itself by this host name: give the external domain of the instance as --url.',
  },
  {
    text: /received message larger than max/,
    remedy: () =>
      'The request is too large for the service. Use smaller parts: --chunk-bytes, --chunk-users.',
  },
  {
    text: /trying to send message larger than max/,
    remedy: () =>
      'The response is too large for the service. Ask organization by organization: --split-by-org.',
  },
  {
    status: [413],
    remedy: () => 'A proxy in front of the service refuses requests of this size. Lower --chunk-bytes.',
  },
  {
    status: [429],
    remedy: () =>
      'Too many requests from this address, from here or from others behind the same address. Lower --rate. ' +
      'Go on with --resume.',
  },
  {
    id: ['RECOVER'],
    remedy: () => 'The service failed inside; the same request fails again. Its log has the reason.',
  },
  {
    text: /invalid duration|missing unit in duration|unknown unit/,
    remedy: () => 'The timeout is not a Go duration: write it like 30m, 1h30m or 90s.',
  },
  {
    text: /context deadline exceeded/,
    remedy: () =>
      'The service ran out of time and does not say how far it came. Use smaller parts: --chunk-users. ' +
      'Or let it take longer: --timeout.',
  },
  {
    text: /invalid_grant/,
    remedy: () =>
      'The service does not take this key: check that it was not deleted or expired, that it belongs to this ' +
      'instance, and that the clock of this machine is right.',
  },
  {
    text: /invalid_client|OIDC-VoXo6|Machine\.Secret/,
    remedy: () =>
      'Client id or secret are wrong: the id is the user name of the service user, the secret is shown once only.',
  },
  {
    status: [301, 302, 303, 307, 308],
    remedy: () => 'The service lives at another address: give that one as --url.',
  },
  {
    status: [405],
    remedy: () =>
      'The address is not the base of an instance, or this service has no such call: check --url.',
  },
  {
    status: [404],
    text: /^Not Found$/,
    remedy: () =>
      'There is no such call at this address: check --url; the version of the service may be too old or too new.',
  },
  {
    status: [502, 503, 504],
    remedy: () =>
      'The service or a proxy before it is not well: try again when it is back. Go on with --resume.',
  },
  {
    status: [500],
    remedy: () => 'The service failed inside; its log has the reason.',
  },
  {
    network: /^PROXY$/,
    remedy: () =>
      'The proxy wants other credentials, forbids this host, or does not reach it. Correct the variable that is named, ' +
      'or put the host into NO_PROXY where no proxy is needed.',
  },
  {
    network: /^PROXY_/,
    remedy: () =>
      'Correct the address of the proxy in the variable that is named, or unset it. ' +
      'Put the host into NO_PROXY where no proxy is needed.',
  },
  {
    network: /^(?:ENOTFOUND|EAI_AGAIN)$/,
    remedy: () => 'Check the host name in --url. Where a proxy is needed, name it in HTTPS_PROXY.',
  },
  { network: /^ECONNREFUSED$/, remedy: () => 'Check host and port in --url; is the service running?' },
  {
    network: /WRONG_VERSION|^EPROTO$/,
    remedy: () => 'If the service has no TLS, write http:// in --url.',
  },
  {
    network: /CERT|ISSUER|SIGNATURE|ALTNAME|TLS|SSL/,
    remedy: () =>
      'If the service has a certificate of your own authority, name its file in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE.',
  },
  {
    network: /./,
    remedy: () => 'Check the network between here and the service. Then go on with --resume.',
  },
];

/** Undefined where it is not known what the call needs. */
function roleFor({ path, org }: Refusal): string | undefined {
  const need = neededFor(path);
  if (need === undefined) return undefined;
  const place = org !== undefined && holdsInOrg(path) ? `${need.where} (organization ${org})` : need.where;
  return `The service user needs ${need.permission}: give it the role ${need.roles} ${place}.`;
}

export function remedyFor(refusal: Refusal): string | undefined {
  return remedies.find((row) => holds(row, refusal))?.remedy(refusal);
}

function holds(row: RemedyRow, { status, id, message, network }: Refusal): boolean {
  if (row.network !== undefined) return network !== undefined && row.network.test(network);
  if (network !== undefined) return false;
  if (row.status?.includes(status ?? 0) === false) return false;
  if (row.id?.includes(id ?? '') === false) return false;
  return row.text?.test(message) !== false;
}
