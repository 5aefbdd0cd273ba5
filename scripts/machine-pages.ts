/** Makes llms.txt and the skill for coding agents from the pages: the index, the exit codes, the events. */
import { readFileSync } from 'node:fs';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

export const skillPath = 'skills/idport-rehearsal/SKILL.md';

const shownEvents = ['notice', 'record:rejected', 'run:end', 'verify:end', 'undo:end', 'problem'];

/** Returns the index of the pages below the summary of the README. Links begin at the top of the project. */
export function formatLlms(): string {
  const [summary = ''] = /(?<=^\*\*)[^]*?(?=\*\*$)/m.exec(read('README.md')) ?? [];
  const index = read('docs/README.md').replace(/^# .*\n/, '');
  return `# idport

> ${fromTop(summary).replaceAll('\n', ' ')}

To rehearse a migration, follow [the skill](${skillPath}). \`idport <verb> --help\` explains a verb, \`idport explain <code>\` a code.
${fromTop(index, 'docs/').replace('## About idport', '## Optional')}`;
}

const fromTop = (text: string, folder = ''): string =>
  text.replace(
    /\]\((?!https?:)([^)]*)\)/g,
    (_link, path: string) => `](${`${folder}${path}`.replace('docs/../', '')})`,
  );

export function formatSkill(): string {
  const [exitCodes = ''] = /^\| Code \|[^]*?(?=\n\n)/m.exec(read('docs/exit-codes.md')) ?? [];
  const events = read('docs/events.md')
    .split('\n')
    .filter((line) => shownEvents.some((type) => line.startsWith(`| \`${type}\` |`)));
  const tables = [exitCodes, ['| Event | Fields |', '|---|---|', ...events].join('\n')].map((table) =>
    table.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
  );
  return `---
name: idport-rehearsal
description: Rehearses a migration of users from Keycloak, Auth0, a table or many other systems into a ZITADEL-compatible service with the idport command line, on this machine only. Use it to try an export, to prove that every user arrives, or to find out who cannot sign in afterwards.
---

# Rehearse a migration with idport

The target is a local copy of the service's API. Work in a folder with the export: here \`realm.json\` of Keycloak; \`idport sources\` lists
the other sources, \`idport map users.csv\` drafts the mapping of a table.

- The export, \`importBody.json\`, \`rejects.ndjson\` and \`secrets/\` hold password hashes and keys: never print, commit or upload them. Events
  and reports name users: keep them on this machine.
- Never pass the address of a real service. The operator starts a real import (docs/runbook.md).

## 1. Set up

\`\`\`sh
idport init realm.json --rehearsal
\`\`\`

It writes \`idport.config.json\` and prints the commands for your source: use its \`migrate\` below, and \`--jit\` where it prints that.

## 2. Start the service

\`\`\`sh
idport serve --json > secrets/server.json & echo $! > secrets/server.pid
until [ -s secrets/server.json ]; do sleep 1; done
\`\`\`

After the last step: \`kill $(cat secrets/server.pid)\`.

## 3. Migrate, check, import, verify, roll back

Read the exit code after each command:

\`\`\`sh
idport migrate keycloak --json 2> migrate.ndjson
idport check importBody.json --json 2> check.ndjson
idport import-users importBody.json --json 2> import.ndjson
idport verify importBody.json --json 2> verify.ndjson
idport undo --journal=importBody.json.users.journal --yes=7 --json 2> undo.ndjson
\`\`\`

Put the number of created users in place of 7: \`written\` + \`withNotes\` in the \`tally\` of \`import.ndjson\`.

${tables[0]}

## 4. Read the events

Each line of an \`.ndjson\` file is one event:

${tables[1]}

\`idport explain <code>\` says what a code means and what to do.

## 5. Report

- The counts of \`migrate\`: \`read = written + withNotes + rejected + skipped\`.
- Who can sign in on day one, and who cannot: \`signIn\` of \`verify:end\`, with its \`meaning\`.
- Every entry of \`tally.refusals\`, with its \`remedy\`, and every code of \`tally.reasons\`.
- The exit code of \`verify\`. Only 0 is a verified rehearsal.
`;
}
