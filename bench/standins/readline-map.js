// What a script of twenty lines does: all hashes into a Map by the id, then line by line through the users.
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

const [users, passwords, output] = process.argv.slice(2);
const lines = (path) => createInterface({ input: createReadStream(path), crlfDelay: Infinity });

const hashes = new Map();
for await (const line of lines(passwords)) {
  const { _id, passwordHash } = JSON.parse(line);
  hashes.set(`auth0|${_id.$oid}`, passwordHash);
}
const body = createWriteStream(output);
body.write('{"dataOrgs":{"orgs":[{"orgId":"1","humanUsers":[');
let separator = '';
for await (const line of lines(users)) {
  const mapped = mapUser(JSON.parse(line));
  if (!body.write(separator + JSON.stringify(mapped))) await new Promise((done) => body.once('drain', done));
  separator = ',';
}
body.end(']}]},"timeout":"30m0s"}');

function mapUser(user) {
  const hash = hashes.get(user.user_id);
  return {
    userId: user.user_id,
    user: {
      userName: user.username ?? user.email,
      profile: {
        firstName: user.given_name ?? user.name ?? user.email,
        lastName: user.family_name ?? user.name ?? user.email,
        nickName: user.nickname,
        displayName: user.name,
      },
      email: { email: user.email, isEmailVerified: user.email_verified },
      ...(hash ? { hashedPassword: { value: hash } } : {}),
    },
  };
}
