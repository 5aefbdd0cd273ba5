/** Hashes that real programs have written: each converts, and its password still matches. */
import { expect, test } from 'vitest';
import { isPlain, isRefused } from '../../../src/records/hash-forms/form.ts';
import { decodeHash } from '../../../src/records/hash-forms/decode.ts';
import { hashDecoders } from '../../../src/records/hash-forms/decoders.ts';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';

type Row = readonly [program: string, decoder: string, hash: string, password: string];

const rows: readonly Row[] = [
  [
    'OpenLDAP 2.5.13',
    'ldap',
    '{PBKDF2-SHA1}10000$BslfS.FiMaQzzHNiw72J4w$xIa7MPcf/q7IpMHqRhWGgP6C5/0',
    'pbsha1-knows-this',
  ],
  [
    'OpenLDAP 2.5.13',
    'ldap',
    '{PBKDF2-SHA256}10000$4jd963cggoKHa9exLDTyRw$9hKZP1GJ.5CuWKslL5vy92EAdmY.eXksVogI.v2rnlM',
    'pbsha256-knows-this',
  ],
  [
    'OpenLDAP 2.5.13',
    'ldap',
    '{PBKDF2-SHA512}10000$lu49FYIQW37uEQjVvUZxwg$3DHTdehJQa4BJYf2UWhiVgss7G86nWimrrsbhxqxhrwP9k1UeYtgGn.Y6BKgtF5hYIvCRUPeASy.kaJTSZ9ToQ',
    'pbsha512-knows-this',
  ],
  ['OpenLDAP 2.5.13', 'ldap', '{BSDMD5}6LQM49fMmYr5hgCBiZppR2kzUWNXYzhQ', 'bsdmd5-knows-this'],
  ['OpenLDAP 2.5.13', 'ldap', '{MD5}UlqQbz12GouVlhqM6imkTg==', 'md5-knows-this'],
  [
    'OpenLDAP 2.5.13',
    'ldap',
    '{CRYPT}$5$S3pemDRKlSU0TxcI$cbjuKFY9b36ghuakuM2/AYg0j3faQz6.1FZx9gilKS/',
    'sha256crypt-knows-this',
  ],
  ['OpenLDAP 2.5.13', 'ldap', '{CRYPT}$1$WkCQ017i$S54ZkX9brUr4zqGd/V8jq0', 'md5crypt-knows-this'],
  ['OpenLDAP 2.5.13', 'ldap', 'plain-knows-this', 'plain-knows-this'],
  ['389 Directory Server 2.3.1', 'ldap', '{CLEAR}clear-knows-this', 'clear-knows-this'],
  [
    '389 Directory Server 2.3.1',
    'ldap',
    '{PBKDF2-SHA512}10000$IbkB2tQKY+nrgE5wQau1TpAKdU6l74Pt$ViZm5vqEqD7Px9z8YSM5/3df9SBL1Pv1+8GiAAeMPVlJRksk9Nko3AQoXKbQJuIc9zfeIDXu0KC741QdpotQCw==',
    'pbkdf2-sha512-knows-this',
  ],
  [
    '389 Directory Server 2.3.1',
    'ldap',
    '{PBKDF2_SHA256}AAAIAD7M3ShXbW13LnupZ+WSZfThgq7BwdmUPrghbLY8gGg6D38e4qHYEGvts4Jeoc6SiqvmSp3ee5ah/TazHBoHhwYBV0Q1eMGJECt9six1grTuWyejLkPBfp4bH2ACdDvZobPM35Jf/5XR2uGfgm9SBCTa4viz8Cwf2pIItFNyjesteLqa4WXH1HH/SrOorRcdpCKMSx5c0WEXTrjPFqMNa2+KsvM+JX91LUG9fbtds9/hhoCyv3V2lEx8rfEuILs/heRJ033c6jixugRGw50++E2a66Ep45OaNgFENvYjPL+6pSsJAgQyOGSGpdD9SmIEEnUgF+2Px6hwn/MaUbJ8GgoB/OFe7T39VDe6mB4JNZ+DN2fwaadHxkCPCQ2j/zbJfLWVS/KIPDzSdWQ+hmcWiC6w02lG07VfuVpRJwrpNAww',
    'pbkdf2.sha256-knows-this',
  ],
  [
    '389 Directory Server 2.3.1',
    'ldap',
    '{crypt}$6$tY$kBoyqPVZkhOP.g18g7/3W/x3tW2Fg9u38YA/yFU5VGqnJgpQahRHGz4raGKuI2BdosNTSD/o/7fkl10CDmtz30',
    'crypt-sha512-knows-this',
  ],
  [
    'OpenDJ 4.6.5',
    'ldap',
    '{BCRYPT}$2a$12$Jm5lzBWOEx6ajTC6HfYPjeNfaNfttVnKjt4S9wn.7QeOFGUe/H9/C',
    'bcrypt-knows-this',
  ],
  ['OpenDJ 4.6.5', 'ldap', '{PBKDF2}10000:YYlHSlLGoP0EcZbBNI1yiRGCAx+ikbBBEI5Qiw==', 'pbkdf2-knows-this'],
  [
    'OpenDJ 4.6.5',
    'ldap',
    '{PBKDF2-HMAC-SHA256}10000:qUZGjaVreC0cowu5dAR3zRn/OBIyZ7crP13ajPbCsxAmMiThCQNcug==',
    'pbkdf2-hmac-sha256-knows-this',
  ],
  [
    'OpenDJ 4.6.5',
    'ldap',
    '{PBKDF2-HMAC-SHA512}10000:boVf4eC0UIQS6R68DbyN6nqERLnIhS4a5TL8cG5Z4gsc0evy142Sov7bgsw+dU6X2T6qr4OmqFvwTFHIGAaQp1nrN4EBNd3g',
    'pbkdf2-hmac-sha512-knows-this',
  ],
  [
    'OpenDJ 4.6.5',
    'ldap',
    '{PKCS5S2}GwVOK6CaNiUrQSipSvj7IiMappfcE9yvJ03CSet86VPujX0CIWK8cB7i1sjewGVZ',
    'pkcs5s2-knows-this',
  ],
  ['OpenDJ 4.6.5', 'ldap', '{BASE64}YmFzZTY0LWtub3dzLXRoaXM=', 'base64-knows-this'],
  [
    'Samba 4.17.12',
    'ldap',
    '{CRYPT}$6$rounds=20000$EeNVUYJR4PZvuhb.$YVvz0xyLFXv08R6E5l7B.PkdWdDNq6TBmooBzj77qtiHixXD9Ul7qhmtd.Aci.fQDeeIFY7YmGLkfdBnzbllj0',
    'kim-knows-this',
  ],
  [
    'Spring Security 6.4.2',
    'spring',
    '{bcrypt}$2a$10$tSQrAhjafg98UFx0ewJjfuO2hPwd5N5F8506qzGFNGKFRajIsxCUO',
    'ada-knows-this',
  ],
  [
    'Spring Security 6.4.2',
    'spring',
    '{pbkdf2}9029d0d1a38a7bb2712ce18e4fc32f59ba9cdedd5afd37ef0117314c6481fa55a4b06ea59d905a54',
    'ben-knows-this',
  ],
  [
    'Spring Security 6.4.2',
    'spring',
    '{pbkdf2@SpringSecurity_v5_8}3d5f3c9b42615115b739bf78a2cca4d2997f1859a6f40945be705545a83273b0bb9c872417258236c6cfd44452ee3de6',
    'cyd-knows-this',
  ],
  [
    'Spring Security 6.4.2',
    'spring',
    '{scrypt}$e0801$OsiVwyqeO/EHIdIA6C3aU5m6EJ4mPNf5PTO172ICxQQ+Xi91L9NopWFLBCuueIuuX3NjVhrM0PZ8uVd4Vh9iyQ==$L/Q5A9wqslXtdu+9w8C1GXhiHy7QO7odDaj5SGB1TzU=',
    'dan-knows-this',
  ],
  [
    'Spring Security 6.4.2',
    'spring',
    '{scrypt@SpringSecurity_v5_8}$100801$7iQ/nKecUR+469wzIHlyhw==$FnRG0kAjJCeXwtGDJNsW2bL+MfsG4Df40axPesDM3iM=',
    'eve-knows-this',
  ],
  [
    'Spring Security 6.4.2',
    'spring',
    '{argon2@SpringSecurity_v5_8}$argon2id$v=19$m=16384,t=2,p=1$cH++XvAF1iP9cp7dr3biRg$V+WyEBVxgj89hvFEBMJdsh4iB8BueLsAJHR1FQRUZiE',
    'fay-knows-this',
  ],
  [
    'Spring Security 6.4.2',
    'spring',
    '{MD5}{+Z7b4QQuYOFGEgDv/pPP9LH1tnRUDSHLzQG+7i4Zk4E=}c91c7a96904406c3d03c274f0ddec489',
    'gus-knows-this',
  ],
  [
    'MediaWiki 1.39.17',
    'mediawiki',
    ':pbkdf2:sha512:30000:64:fA40iWyXjJHYw/X60fikWQ==:F1zaRkGIkH+bd0Bv3GUI1pR4Zjk7JJ4ZQMHVB1E7BNiNBoqpSKwOCISfZMDdgze4/6zDesqqE0+c5bOwN2TnvQ==',
    'ada-knows-this',
  ],
  ['MediaWiki 1.39.17', 'mediawiki', ':A:a7d25abc4a78431655219de7b154973a', 'type-knows-this'],
  [
    'MediaWiki 1.39.17',
    'mediawiki',
    ':argon2:$argon2id$v=19$m=65536,t=4,p=1$NElQWDR2SGhFTHYvTnpvag$gaOX5fhQ46dyrhpE87JC355Y8h6LM+tOzb3sh7ilXgw',
    'type-knows-this',
  ],
  ['WordPress 6.1.9', 'wordpress', '$P$BK.a1QaCzeBj1sNXca7o3PB1EEOIUd.', 'ada-knows-this'],
  [
    'WordPress 6.1.9',
    'wordpress',
    '$argon2id$v=19$m=65536,t=4,p=1$b1Bjb2xDZmNaU1JNVWs0Tg$zlsIctEy9sWcGyL+EV+FVOaU3BV2aB7xvKpv1ojmNTY',
    'argon-knows-this',
  ],
  ['WordPress 6.1.9', 'wordpress', '4d888d3badea6fb492e845d1b42e0075', 'old-knows-this'],
  [
    'WordPress 6.1.9, with the backslashes it adds',
    'wordpress',
    '$P$B4aXqn3.wUGb0UqVznB5F27ykHovY/0',
    'it\\\'s \\"q\\" bs',
  ],
];

test.each(rows)('%s: %s takes %s', async (_, name, hash, password) => {
  const decoded = decodeHash(hashDecoders.get(name)!, { hash });
  if (isRefused(decoded)) throw new Error(decoded.detail);
  const matches = isPlain(decoded) ? decoded.plain === password : await verifyPassword(decoded.mcf, password);
  expect(matches).toBe(true);
});
