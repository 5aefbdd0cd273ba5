#!/usr/bin/env node
// A scenario of calls against a server, and what differs from the answers that the real service gave to the same calls.
//   node run.mjs <base url> <tokens.json> [--scenario=general|projects|users-v2|removed] [--recorded=../../../fixtures/recorded/calls-self-hosted.jsonl] [--json=out.json] [--wait=1] [--quiet]
// The server is to be fresh and without lag (with one: --wait=<factor> waits before the calls that read what was written).
// tokens.json: {"owner","viewer","orgOwner","nobody","org","def","rnd"}: access tokens of IAM_OWNER, IAM_OWNER_VIEWER, ORG_OWNER and a
// user without roles; org and def: id of the first organization; or the line that `idport serve --json` prints. Exit 1 where anything differs. Ids, dates, sequences, tokens, the names of the first organization and users, its generated domain, and the order of lists of words are not
// compared; of answers that the recording holds cut, only status and content type.
import fs from 'node:fs';
import http from 'node:http';
import crypto from 'node:crypto';

const [base, tokenFile, ...flags] = process.argv.slice(2);
const flag = (name, other) => flags.find((f) => f.startsWith(`--${name}=`))?.slice(name.length + 3) ?? other;
let t = JSON.parse(fs.readFileSync(tokenFile, 'utf8'));
if (t.tokens) t = { owner: t.tokens.iamOwner, viewer: t.tokens.iamViewer, orgOwner: t.tokens.orgOwner, nobody: t.tokens.nobody, org: t.orgId, def: t.orgId };
// general: calls-self-hosted.jsonl (757 calls) or calls-all-verifiers.jsonl; projects (323): organizations, projects, roles, grants, applications,
// identity providers; users-v2 (194; also calls-users-v2-all-verifiers.jsonl): a user in one call, changes in place; removed (45): what is left of things.
const scenario = flag('scenario', 'general');
const { calls } = await import(scenario === 'general' ? './scenario.mjs' : `./scenario-${scenario}.mjs`);
const recordedFile = flag('recorded', new URL(`../../../fixtures/recorded/calls-${scenario === 'general' ? 'self-hosted' : scenario}.jsonl`, import.meta.url));
const recorded = fs.readFileSync(recordedFile, 'utf8').trim().split('\n').map(JSON.parse);

const totp = (secret) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret.replace(/=+$/, '').toUpperCase()].map((ch) => alphabet.indexOf(ch).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((b) => parseInt(b, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)));
  const mac = crypto.createHmac('sha1', key).update(step).digest();
  return String((mac.readUInt32BE(mac[19] & 15) & 0x7fffffff) % 1e6).padStart(6, '0');
};
const x = { T: t, org: t.org, rnd: t.rnd ?? 'r1', totp };
const url = new URL(base);
const agent = new http.Agent({ keepAlive: true });
const value = (v) => (typeof v === 'function' ? v(x) : v);
const send = (c) => new Promise((done) => {
  const headers = { ...c.headers };
  if (c.rawAuth) headers.authorization = value(c.rawAuth);
  else if (c.token !== null) headers.authorization = 'Bearer ' + t[c.token ?? 'owner'];
  const org = value(c.org);
  if (org !== undefined) headers['x-zitadel-orgid'] = org;
  headers.host = c.host ?? url.host;
  const body = (c.bodyFn ? c.bodyFn(x) : value(c.body))?.replaceAll('127.0.0.1:9555', `127.0.0.1:${hook.address().port}`);
  if (body !== undefined) { headers['content-type'] ??= 'application/json'; headers['content-length'] = Buffer.byteLength(body); }
  let path; try { path = value(c.path); } catch { path = '/ERR'; }
  const failed = (e) => done({ name: c.name, method: c.method, path, status: -1, body: String(e), headers: {} });
  const rq = http.request({ host: url.hostname === 'localhost' ? '127.0.0.1' : url.hostname, port: url.port, method: c.method, path: encodeURI(decodeURI(path)), headers, agent }, (r) => {
    const blocks = [];
    r.on('data', (d) => blocks.push(d));
    r.on('end', () => done({ name: c.name, method: c.method, path, status: r.statusCode, headers: r.headers, body: Buffer.concat(blocks).toString('utf8'), loose: c.loose }));
    r.on('error', failed);
  });
  rq.on('error', failed);
  rq.setTimeout(60000, () => rq.destroy(new Error('timeout')));
  rq.end(body);
});

const parsed = (s) => { try { return JSON.parse(s); } catch { return undefined; } };
const shape = (v, at = '', all = new Set()) => {
  if (Array.isArray(v)) { all.add(at + '[]'); v.forEach((i) => shape(i, at + '[]', all)); }
  else if (v && typeof v === 'object') { for (const k in v) if (!(k === 'code' && at.endsWith('payload'))) shape(v[k], at + '.' + k, all); if (!Object.keys(v).length) all.add(at + '{}'); }
  else all.add(at + ':' + typeof v);
  return all;
};
const volatile = /(^|\.)(id|userId|emailCode|phoneCode|inviteCode|verificationCode|passwordChanged|.*Id|.*Date|sequence|timestamp|.*Timestamp|.*Sequence|link|sessionToken|signingKey|(access_|id_)?token|keyDetails|Crypted|clientSecret|keyId|expiration|domainName|primaryDomain|totalResult|version|.*LoginName.*)$/;
const norm = (v) => Array.isArray(v) ? (v.every((i) => typeof i === 'string') ? [...new Set(v)].toSorted() : v).map(norm)
  : v && typeof v === 'object' ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, volatile.test(k) && typeof v[k] !== 'object' ? '*' : norm(v[k])]))
  : typeof v === 'string' ? v.replace(/\d{15,}/g, '#').replace(/\u00a0/g, ' ').replace(/localhost:\d+|127\.0\.0\.1:\d+/g, 'HOST').replace(/\.localhost/g, '.HOST').replace(/^(zitadel|default)(-\w{6})?(?=\.HOST|$)/i, 'ORG').replace(/^(iam-)?owner(@.*)?$|^nobody.*|^no-role$|^(iam-)?viewer.*|^org-?owner.*/i, 'SEEDED') : v;

function differences(real, ours) {
  const found = [];
  const rj = parsed(real.response ?? ''), oj = parsed(ours.body);
  if (real.status !== ours.status) found.push(`status ${real.status}, here ${ours.status}`);
  if (real.cut) return found;
  const [rc, oc] = [rj, oj].map((j) => (typeof j?.code === 'object' ? undefined : j?.code));
  if (rc !== oc) found.push(`code ${rc}, here ${oc}`);
  const ri = rj?.details?.[0]?.id, oi = oj?.details?.[0]?.id;
  if (ri !== oi) found.push(`id ${ri}, here ${oi}`);
  if (norm(rj?.message) !== norm(oj?.message)) found.push(`message «${String(rj?.message).slice(0, 200)}», here «${String(oj?.message).slice(0, 200)}»`);
  if ((rj === undefined) !== (oj === undefined)) found.push(`JSON: «${(real.response ?? '').slice(0, 120)}», here «${ours.body.slice(0, 120)}»`);
  if (rj && oj && real.status === ours.status) {
    const a = shape(rj), b = shape(oj);
    const missing = [...a].filter((k) => !b.has(k)), extra = [...b].filter((k) => !a.has(k));
    if (missing.length) found.push('missing: ' + missing.join(' ').slice(0, 300));
    if (extra.length) found.push('too much: ' + extra.join(' ').slice(0, 300));
    if (!ours.loose && !missing.length && !extra.length && JSON.stringify(norm(rj)) !== JSON.stringify(norm(oj))) found.push('values');
  }
  const type = (h) => (h['content-type'] ?? '').split(';')[0];
  if (type(real.headers ?? {}) !== type(ours.headers)) found.push(`content-type ${type(real.headers ?? {})}, here ${type(ours.headers)}`);
  for (const h of ['www-authenticate', 'retry-after', 'allow']) if (!!real.headers?.[h] !== !!ours.headers[h]) found.push(`header ${h}: ${real.headers?.[h]}, here ${ours.headers[h]}`);
  return found;
}

// The targets of the scenario point here.
const hook = http.createServer((q, s) => { let b = ''; q.on('data', (d) => (b += d)); q.on('end', () => { s.writeHead(200, { 'content-type': 'application/json' }); s.end('{}'); }); });
await new Promise((ready, no) => hook.on('error', no).listen(0, '127.0.0.1', ready));

let differing = 0;
const out = [];
for (const [i, c] of calls.entries()) {
  const wait = Number(flag('wait', '0')) * (c.wait ?? 0);
  if (wait > 0) await new Promise((r) => setTimeout(r, wait));
  const ours = await send(c);
  if (c.save && (ours.status === 200 || ours.status === 201)) try { c.save(JSON.parse(ours.body), x); } catch {}
  const real = recorded[i];
  if (real === undefined || real.name !== c.name) { console.log(`the recording does not fit the scenario at ${i}: ${c.name}`); process.exit(2); }
  const found = differences(real, ours);
  if (found.length === 0) continue;
  differing += 1;
  out.push({ name: c.name, call: `${ours.method} ${ours.path}`, found, real: real.response, here: ours.body.slice(0, 4000) });
  if (!flags.includes('--quiet')) console.log(`${c.name}\n   ${found.join('\n   ')}`);
}
if (flag('json')) fs.writeFileSync(flag('json'), JSON.stringify(out, null, 1));
console.log(`${calls.length} calls, ${differing} differ`);
agent.destroy();
hook.close();
hook.closeAllConnections();
process.exitCode = differing === 0 ? 0 : 1;
