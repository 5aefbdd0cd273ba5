/** Makes a certificate for localhost that signs itself, with a key of its own; nothing of it is kept. */
import { createSign, generateKeyPairSync } from 'node:crypto';

/** And for an address of version 4. */
export function selfSigned(address = '127.0.0.1') {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  // A server of MySQL 8.0.15 takes no key on a curve.
  const rsaWithSha256 = sequence(oid('2a864886f70d01010b'), der(0x05, Buffer.alloc(0)));
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('localhost')))));
  const validity = sequence(utcTime('000101000000Z'), utcTime('491231235959Z'));
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from(address.split('.').map(Number))),
  );
  const extensions = sequence(
    sequence(oid('551d11'), der(0x04, names)),
    sequence(oid('551d13'), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    rsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const whole = sequence(body, rsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const utcTime = (text: string) => der(0x17, Buffer.from(text));
const sequence = (...parts: Uint8Array[]) => der(0x30, Buffer.concat(parts));

function der(tag: number, content: Uint8Array) {
  const { length } = content;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
