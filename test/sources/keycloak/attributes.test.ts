import { describe, expect, it } from 'vitest';
import { startUser } from '../../../src/records/build-user.ts';
import { readAttributes } from '../../../src/sources/keycloak/attributes.ts';
import type { KeycloakOptions } from '../../../src/sources/keycloak/options.ts';
import { usualKeycloak } from '../../support/usual-job.ts';

function read(attributes: object, options: Partial<KeycloakOptions> = {}) {
  const draft = startUser({ input: 'realm.json', index: 0, id: '1' });
  readAttributes(draft, attributes, { ...usualKeycloak, ...options });
  return draft;
}

describe('the phone of a Keycloak user', () => {
  const both = { phoneNumber: ['+41446680000'], phoneNumberVerified: ['true'], mobile: ['+41790000001'] };

  it('is verified only where phoneNumber itself is', () => {
    expect(read({ phoneNumberVerified: ['true'], mobile: ['+41790000001'] })).toMatchObject({
      phone: '+41790000001',
      phoneVerified: false,
    });
  });

  it('is the next attribute where the first one cannot be read', () => {
    const attributes = { ...both, phoneNumber: ['ask reception'] };
    expect(read(attributes)).toMatchObject({ phone: '+41790000001', phoneVerified: false });
    expect(read({ phone: ['ask reception'] }).phone).toBe('ask reception');
  });

  it('leaves the attributes that were not read, and further values, as attributes', () => {
    expect(read(both, { metadata: 'attributes' }).metadata).toEqual([
      { key: 'mobile', value: '+41790000001' },
    ]);
    const two = { phoneNumber: ['+41446680000', '+41446680001'] };
    expect(read(two, { metadata: 'attributes' }).metadata).toEqual([
      { key: 'phoneNumber', value: '["+41446680000","+41446680001"]' },
    ]);
    expect(read(both).notes).toEqual([{ code: 'attribute:not-migrated', detail: '1 attribute' }]);
  });

  it('is nothing where no attribute has a text', () => {
    expect(read({ phone: [], locale: [''], nickname: 'N' })).toMatchObject({
      phone: '',
      notes: [],
      nickName: 'N',
    });
  });
});
