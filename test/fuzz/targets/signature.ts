/** The header that signs a webhook call, against the rules of the service's own verifier written down once more. */
import { createHmac } from 'node:crypto';
import { signBody } from '../../../src/wire/signature.ts';
import { verifySignature } from '../../../src/webhooks/verify.ts';
import { mutate } from '../mutate.ts';
import { Finding, type FuzzTarget } from '../target.ts';

const now = 1_767_225_600;
const tolerance = 300;
const keys = ['canary-key-one', 'canary-key-two'];
const body = '{"fullMethod":"/zitadel.user.v2.UserService/AddHumanUser","note":"canary-body"}';
const seeds = [
  signBody(body, keys[0]!, now),
  signBody(body, keys, now - 200),
  signBody(body, 'another', now),
  signBody(body, keys[1]!, now - 400),
  signBody(`${body}\n`, keys[1]!, now + 400),
].map((text) => Buffer.from(text));

export const signature: FuzzTarget = {
  name: 'signature',
  about: 'a call is trusted exactly when a key matches its time and body; no key and no body is shown',
  share: 8,
  open: () =>
    Promise.resolve({
      make: (draw) => (draw.chance(0.1) ? draw.pick(seeds) : mutate(draw.pick(seeds), draw, seeds)),
      check(input, draw) {
        const header = input.toString('latin1');
        const received = draw.chance(0.8) ? body : mutate(Buffer.from(body), draw).toString('latin1');
        const call = { body: received, header, key: keys, tolerance, now: now * 1000 };
        const verdict = verifySignature(call);
        const expected = fits(header, received);
        if (verdict.ok !== expected) {
          throw new Finding('difference', `trusted: ${verdict.ok}, and by the rules: ${expected}`);
        }
        const told = verdict.ok ? '' : verdict.message;
        if (told.includes('canary')) throw new Finding('secret', `a key or the body: ${told}`);
      },
    }),
};

/** The last time counts, any signature may fit; ours refuses two times and the far future as well. */
function fits(header: string, received: string) {
  let time: string | undefined;
  let times = 0;
  const signatures: string[] = [];
  for (const part of header.split(',')) {
    const [name, value, ...more] = part.split('=');
    if (value === undefined || more.length > 0) return false;
    if (name?.trim() === 't') times += 1;
    if (name === 't') {
      if (
        !/^[+-]?[0-9]+$/.test(value) ||
        BigInt.asIntN(64, BigInt(value.replace('+', ''))) !== BigInt(value.replace('+', ''))
      )
        return false;
      time = BigInt(value.replace('+', '')).toString();
    }
    if (name === 'v1') signatures.push(value.toLowerCase());
  }
  if (time === undefined || times > 1 || Math.abs(now - Number(time)) > tolerance) return false;
  const signed = `${time}.${received}`;
  return keys.some((key) => signatures.includes(createHmac('sha256', key).update(signed).digest('hex')));
}
