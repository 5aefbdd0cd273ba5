// What a script that checks a body does: the whole file into memory, parse, look at each user, count.
import { readFileSync } from 'node:fs';

const [input] = process.argv.slice(2);
const { dataOrgs } = JSON.parse(readFileSync(input, 'utf8'));
const taken = new Set();
const problems = new Map();
let users = 0;
let emails = 0;

function complain(problem) {
  problems.set(problem, (problems.get(problem) ?? 0) + 1);
}

function checkText(value, max, what) {
  if (typeof value !== 'string' || value.length === 0) complain(`no ${what}`);
  else if (value.length > max) complain(`${what} is too long`);
}

for (const { humanUsers = [] } of dataOrgs.orgs) {
  for (const { userId, user } of humanUsers) {
    users++;
    checkText(user.userName, 200, 'user name');
    checkText(user.profile?.firstName, 200, 'first name');
    checkText(user.profile?.lastName, 200, 'last name');
    if (!/^[^@\s]+@[^@\s]+$/.test(user.email?.email ?? '')) complain('no email');
    const hash = user.hashedPassword?.value;
    if (hash !== undefined && !hash.startsWith('$')) complain('unknown hash');
    if (user.email?.isEmailVerified !== true) emails++;
    for (const key of [userId, user.userName?.toLowerCase()]) {
      if (taken.has(key)) complain('is a duplicate');
      taken.add(key);
    }
  }
}
console.log(users, emails, Object.fromEntries(problems));
