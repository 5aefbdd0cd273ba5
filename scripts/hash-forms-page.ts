/** Writes docs/hash-forms.md from the table of decoders. */
import { hashDecoders } from '../src/records/hash-forms/decoders.ts';

const intro = `# Forms of password hashes

Each source stores salts, rounds and keys in its own way. A [mapping](mapping.md) names the form: \`password: { format: <name> }\`.
\`auto\` reads self-describing hashes only. A wrong guess would lock users out without a sign, so bare hexadecimal digits and bare
base64 are \`password:ambiguous-format\`.

A hash of an altered password looks like any other. Where a source is known to alter passwords, its hashes are refused:
\`password:prehashed\` if it hashes a digest of the password, \`password:peppered\` if it adds a secret. \`bcrypt\`, \`argon2\`, \`phpass\`,
\`sha-crypt\`, \`mcf\` and \`auto\` belong to no source, so the mapping has to say \`pepper\` and \`prehash\`.

<!-- Written by \`npm run docs\` from src/records/hash-forms/decoders.ts. -->

| Name | Whose | Converted | Refused |
|---|---|---|---|
`;

const outro = `
Some sources alter a few passwords only. Their hashes are converted, and these users cannot sign in: spaces at an end (WordPress,
Joomla), \`& < > "\` (phpBB), letters that NFKC or NFKD changes (Better Auth, Lucia; Flask-Security), more than 72 bytes (Symfony).

A secret that was added to the salt is only a longer salt. Given in a file, it is carried: Spring's \`Pbkdf2PasswordEncoder\`,
PrestaShop's \`_COOKIE_KEY_\`, Moodle's \`passwordsaltmain\`.
`;

export function formatHashFormsPage(): string {
  const rows = [...hashDecoders].map(([name, { title, converts, refuses }]) =>
    ['', `\`${name}\``, title, converts || '-', refuses || '-', ''].join(' | ').trim(),
  );
  return `${intro}${rows.join('\n')}\n${outro}`;
}
