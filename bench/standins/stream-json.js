// The streaming library at its best: file pipeline without stream boundaries, packed values, one pick, big writes.
import { closeSync, openSync, writeSync } from 'node:fs';
import { drain } from 'stream-chain/utils/drain.js';
import { pipe } from 'stream-chain/utils/pipe.js';
import { pick } from 'stream-json/core/filters/pick.js';
import { streamArray } from 'stream-json/core/streamers/stream-array.js';
import { parseFile } from 'stream-json/file/parser.js';
import { mapUser } from './map-user.js';

const [input, output] = process.argv.slice(2);
const file = openSync(output, 'w');
let block = '{"dataOrgs":{"orgs":[{"orgId":"1","humanUsers":[';
let separator = '';

const take = ({ value }) => {
  block += separator + JSON.stringify(mapUser(value));
  separator = ',';
  if (block.length > 256 * 1024) {
    writeSync(file, block);
    block = '';
  }
};
const parse = parseFile({ readBlockSize: 1024 * 1024, packValues: true, streamValues: false });
await drain(pipe(parse, pick({ filter: 'users', once: true }), streamArray(), take)(input));
writeSync(file, `${block}]}]},"timeout":"30m0s"}`);
closeSync(file);
