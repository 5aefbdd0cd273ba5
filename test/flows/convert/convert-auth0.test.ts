import { proveFixtures } from '../../support/fixture-cases.ts';

proveFixtures('auth0', ['users', 'passwords', 'mfa']);
