/**
 * Reads gRPC code, error id and text from a refusal in any of the service's formats. Says whether a request may be repeated after a refusal or a network failure, and what to do about it. docs/api-errors.md shows both.
 */
import { serviceErrors } from '../wire/service-errors.ts';
import type { NetworkFailure, ApiResponse } from './send.ts';
import { holdsInOrg, neededFor } from './permissions.ts';
import { isObject, tryParseJson, type JsonObject } from '../lib/json-value.ts';
import { redactText } from '../lib/redact.ts';
import { codeWords } from '../wire/errors.ts';

/**
 * - `refused`: nothing was done, and repeating the request does not help.
 * - `stop`: like `refused`, and every other call of the run would be refused as well.
 * - `too-large`: refused for its size. Only splitting helps, whatever the status says.
 * - `pause`: too many requests. Nothing was done; all requests wait.
 * - `later`: nothing was done, and the request may succeed later.
 * - `renew`: the token is not valid (any more). Nothing was done; repeat once with a new token.
 * - `unsure`: the response was lost or does not tell (an import that ran out of time has stored a part): it may have
 *   been done, wholly or in part. Look up before sending again.
 */
export type Verdict = 'refused' | 'stop' | 'too-large' | 'pause' | 'later' | 'renew' | 'unsure';

export interface Refusal {
  readonly path?: string;
  /** Undefined if there was no response. */
  readonly status?: number | undefined;
  readonly id?: string | undefined;
  /** gRPC code. */
  readonly code?: number | undefined;
  readonly message?: string;
  /** Code of a network failure. */
  readonly network?: string;
  /** Organization of the call's header, if it has one. */
  readonly org?: string | undefined;
}

/**
 * A remedy is written for all verbs. A flag is named in a sentence of its own, because a verb without that flag leaves the
 * sentence out (`cli/program.ts`). The rest must still make sense. A run that has begun adds itself how to resume it.
 */
interface Outcome {
  readonly verdict?: Verdict;
  readonly remedy?: string | ((refusal: Refusal) => string);
}

/** A rule applies if all its members match. */
export interface Rule extends Outcome {
  readonly status?: readonly number[];
  /** gRPC code. */
  readonly code?: number;
  readonly text?: RegExp;
  readonly network?: RegExp;
}

const tokenHint =
  'Pass a valid token with --token-file or IDPORT_TOKEN, or a service account key with --key-file; `idport token --check` tests either.';
const featureHint = 'The feature is off at this instance: switch on "actions" in its feature settings.';
const secretHint =
  'Client id or secret are wrong: the id is the user name of the service account, the secret is shown once only.';

/** Outcomes by the remedy that an error id has in `wire/service-errors.ts`. */
export const byHelp: Readonly<Record<string, Outcome>> = {
  token: {
    remedy: `The token has expired, was revoked, or is for another instance. ${tokenHint} A token that was made by hand also needs the scope urn:zitadel:iam:org:project:id:zitadel:aud.`,
  },
  'token-form': { remedy: `The token is not of a form that the service knows. ${tokenHint}` },
  role: { remedy: (refusal) => roleFor(refusal) ?? 'The service account has no role that allows this call.' },
  'no-role': {
    remedy: (refusal) => {
      const { path = '', org } = refusal;
      const role = roleFor(refusal) ?? 'It needs a role: give it one there, under Managers.';
      if (!holdsInOrg(path)) return `The service account has no role at the instance. ${role}`;
      if (org !== undefined) return `The service account has no role in organization ${org}. ${role}`;
      return `The service account has no role in its own organization. ${role} If it has one elsewhere, name that with --org.`;
    },
  },
  org: {
    remedy: ({ org }) =>
      `There is no organization ${org ?? ''} at this instance: check its id. Check --url. \`idport import --create-org=<name>\` creates one.`,
  },
  'org-gone': {
    verdict: 'stop',
    remedy:
      'The organization does not exist, or was deleted, and its users with it. Import all users into another one. Name it with --org. Give that run a journal of its own with --journal.',
  },
  blocked: {
    verdict: 'stop',
    remedy: 'The instance is blocked by its operator. Ask them; repeating does not help.',
  },
  quota: {
    verdict: 'stop',
    remedy: 'The quota of requests of this instance is used up. Raise it, or wait for the period to reset.',
  },
  endpoint: {
    remedy:
      'The service calls http and https addresses only, and no loopback or private ones. Give a public --endpoint, or set its deny list to one that lets this address through, for example ZITADEL_HTTPCLIENT_DENYLIST=192.0.2.1/32; an empty list is ignored.',
  },
  name: {
    remedy:
      'The service has no such method, service, function or event. A method looks like /zitadel.user.v2.UserService/AddHumanUser; older services lack newer methods.',
  },
  targets: {
    remedy: 'There is no such target, or one is given twice: `idport actions target list` shows them.',
  },
  target: { remedy: 'There is no such target: `idport actions target list` shows them.' },
  receiver: {
    remedy:
      'A target that is called before or after this method refused it, and it interrupts on error: its log says why, `idport actions execution list` shows which it is.',
  },
  panic: {
    verdict: 'refused',
    remedy: 'The service had an internal error; the same request will fail again. Its log has the reason.',
  },
  feature: { remedy: featureHint },
  secret: { remedy: secretHint },
};

/** For refusals whose error id has no verdict or remedy. The first rule that applies and has the missing part counts. */
export const rules: readonly Rule[] = [
  { status: [401], verdict: 'renew', remedy: `The service did not take the token. ${tokenHint}` },
  {
    text: /Target\.AlreadyExists/,
    remedy: 'There is a target of this name already: `idport actions target list` shows it.',
  },
  { text: /NotEnabled/, remedy: featureHint },
  {
    status: [404],
    text: /unable to set instance|ExternalDomain/i,
    remedy:
      'The service has no instance at this host name: give the external domain of the instance as --url.',
  },
  {
    text: /^(?:grpc: )?received message larger than max/,
    verdict: 'too-large',
    remedy: 'The request is too large for the service. Use smaller parts: --chunk-bytes, --chunk-users.',
  },
  {
    text: /^(?:grpc: )?trying to send message larger than max/,
    verdict: 'too-large',
    remedy: 'The response is too large for the service. Ask organization by organization: --split-by-org.',
  },
  {
    status: [413],
    verdict: 'too-large',
    remedy: 'A proxy in front of the service refuses requests of this size. Lower --chunk-bytes.',
  },
  // Without an id, outside of the gateway.
  { status: [429], text: /instance is blocked/i, ...byHelp['blocked'] },
  {
    status: [429],
    verdict: 'pause',
    remedy:
      'Too many requests from this address, from here or from others behind the same address. Lower --rate.',
  },
  {
    text: /invalid duration|missing unit in duration|unknown unit/,
    remedy: 'The timeout is not a Go duration: write it like 30m, 1h30m or 90s.',
  },
  {
    text: /context deadline exceeded/,
    remedy:
      'The service ran out of time and does not say how far it came. Use smaller parts: --chunk-users. Or let it take longer: --timeout.',
  },
  {
    text: /invalid_grant/,
    remedy:
      'The service does not take this key: check that it was not deleted or expired, that it belongs to this instance, and that the clock of this machine is right.',
  },
  { text: /invalid_client|Machine\.Secret/, remedy: secretHint },
  {
    text: /invalid_request: Errors\.User\.NotActive/,
    remedy: 'The service account is deactivated or locked: activate or unlock it in the console.',
  },
  {
    status: [301, 302, 303, 307, 308],
    verdict: 'stop',
    remedy: 'The service has moved: give the new address as --url.',
  },
  {
    status: [405],
    remedy: 'The address is not the base of an instance, or this service has no such call: check --url.',
  },
  {
    status: [404],
    text: /^(?:404 )?(?:page )?not found$/i,
    remedy:
      'There is no such call at this address: check --url; the version of the service may be too old or too new.',
  },
  // gRPC Aborted: a conflict with another transaction, which was rolled back.
  { status: [409], code: 10, verdict: 'later' },
  // Right after a start, the gateway runs but cannot reach the service behind it yet. Nothing was forwarded.
  { status: [503], code: 14, text: /while dialing|connection refused|name resolver/i, verdict: 'later' },
  { status: [425], verdict: 'later' },
  {
    text: /that is not the service's$/,
    verdict: 'unsure',
    remedy: 'Something else responds at this address, such as a proxy: check --url.',
  },
  {
    status: [502, 503, 504],
    verdict: 'unsure',
    remedy: 'The service or a proxy in front of it is failing: try again later.',
  },
  { status: [500], verdict: 'unsure', remedy: 'The service had an internal error; its log has the reason.' },
  { status: [408, 499, 520, 521, 522, 523, 524, 529], verdict: 'unsure' },
  {
    network: /^PROXY$/,
    remedy:
      'The proxy wants other credentials, forbids this host, or does not reach it. Correct the variable that is named, or put the host into NO_PROXY where no proxy is needed.',
  },
  {
    network: /^PROXY_/,
    remedy:
      'Correct the address of the proxy in the variable that is named, or unset it. Put the host into NO_PROXY where no proxy is needed.',
  },
  {
    network: /^(?:ENOTFOUND|EAI_AGAIN)$/,
    remedy: 'Check the host name in --url. Where a proxy is needed, name it in HTTPS_PROXY.',
  },
  { network: /^ECONNREFUSED$/, remedy: 'Is the service running? Check host and port in --url.' },
  { network: /WRONG_VERSION|^EPROTO$/, remedy: 'If the service has no TLS, write http:// in --url.' },
  {
    network: /CERT|ISSUER|SIGNATURE|ALTNAME|TLS|SSL/,
    remedy:
      'If the service has a certificate of your own authority, name its file in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE.',
  },
  { network: /./, remedy: 'Check the network between here and the service.' },
];

/** Returns undefined if it is not known what the call needs. */
function roleFor({ path = '', org }: Refusal) {
  const need = neededFor(path);
  if (need === undefined) return undefined;
  const place = org !== undefined && holdsInOrg(path) ? `${need.where} (organization ${org})` : need.where;
  return `The service account needs ${need.permission}: give it the role ${need.roles} ${place}.`;
}

const outcomesOf = (refusal: Refusal) => [
  byHelp[serviceErrors.get(refusal.id ?? '')?.help ?? ''] ?? {},
  ...rules.filter((rule) => holds(rule, refusal)),
];

export const remedyFor = (refusal: Refusal) =>
  remedyOf(outcomesOf(refusal).find(({ remedy }) => remedy !== undefined) ?? {}, refusal);

export const remedyOf = ({ remedy }: Outcome, refusal: Refusal) =>
  typeof remedy === 'function' ? remedy(refusal) : remedy;

export function classifyResponse(problem: Refusal) {
  return outcomesOf(problem).find((outcome) => outcome.verdict !== undefined)?.verdict ?? 'refused';
}

const byStage: Readonly<Record<NetworkFailure['stage'], Verdict>> = {
  connect: 'later',
  trust: 'stop',
  response: 'unsure',
};

export function classifyFailure(failure: Pick<NetworkFailure, 'stage'>) {
  return byStage[failure.stage];
}

function holds(rule: Rule, { status = 0, code, message = '', network }: Refusal) {
  if (rule.network !== undefined) return network !== undefined && rule.network.test(network);
  if (network !== undefined) return false;
  if (rule.status?.includes(status) === false) return false;
  if (rule.code !== undefined && rule.code !== code) return false;
  return rule.text?.test(message) !== false;
}

/** Longest message to keep. For a violated field rule the service gives a long chain of fields, with the rule at the very end. */
const longestMessage = 2000;

export function readProblem({ status, text }: ApiResponse) {
  const body = tryParseJson(text);
  if (!isObject(body)) return { status, code: undefined, id: undefined, message: plainText(text) };
  const detail = [body['details']].flat().find(isObject);
  const message = textOf(body['message']) ?? oauthText(body) ?? '';
  // The message ends in ` (<id>)`, even if the response has no details.
  const [, inText = ''] = / \(([A-Z][A-Za-z\d]{1,15}-[A-Za-z\d]{3,12})\)$/.exec(message) ?? [];
  const id = textOf(detail?.['id']) ?? textOf(detail?.['slug']) ?? textOf(inText);
  // Of some errors, the service sends the key of a text: `Errors.User.NotActive`.
  const { key = '', meaning = '' } = serviceErrors.get(id ?? '') ?? {};
  const told =
    key.startsWith('Errors.') && message.startsWith(`${key} (`) ? message.replace(key, meaning) : message;
  // The brackets may be there without an id.
  return { status, code: codeOf(body['code']), id, message: oneLine(told.replace(/ \(\)$/, '')) };
}

/** Returns `error` and `error_description` of the token endpoint. */
function oauthText(body: JsonObject) {
  const error = textOf(body['error']);
  const description = textOf(body['error_description']);
  return error && [error, description].filter(Boolean).join(': ');
}

/** Connect responses give the code as a word. */
function codeOf(value: unknown) {
  if (typeof value === 'number') return value;
  const code = codeWords.indexOf(String(value));
  return code === -1 ? undefined : code;
}

function textOf(value: unknown) {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Proxies answer with HTML pages, in which the title is the most informative part. */
function plainText(text: string) {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text.slice(0, 10_000))?.[1];
  return oneLine(title ?? text.slice(0, 10_000).replaceAll(/<[^>]*>/g, ' '));
}

function oneLine(text: string) {
  const line = redactText(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}...` : line;
}
