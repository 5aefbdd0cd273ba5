import { proveFixtures } from '../../support/fixture-cases.ts';

proveFixtures('keycloak', ['realm']);
