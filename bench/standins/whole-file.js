// What a script of ten lines does: the whole file into memory, parse, map, write. Fails above 512 MB of text.
import { readFileSync, writeFileSync } from 'node:fs';
import { mapUser } from './map-user.js';

const [input, output] = process.argv.slice(2);
const { users } = JSON.parse(readFileSync(input, 'utf8'));
const humanUsers = users.map(mapUser);
writeFileSync(output, JSON.stringify({ dataOrgs: { orgs: [{ orgId: '1', humanUsers }] }, timeout: '30m0s' }));
