/** The lines of `idport serve`: address, organization and tokens. */
import { alignColumns } from './text.ts';

/** Printed as lines, or as JSON for programs. The tokens are valid for this server only. */
export interface Serving {
  readonly url: string;
  readonly profile: string;
  readonly orgId: string;
  readonly instanceId: string;
  readonly tokens: Readonly<Record<keyof typeof roleNames, string>>;
  readonly keyFile: string | undefined;
  readonly control: { readonly url: string; readonly token: string } | undefined;
  readonly users: number;
}

const roleNames = {
  iamOwner: 'IAM_OWNER',
  iamViewer: 'IAM_OWNER_VIEWER',
  orgOwner: 'ORG_OWNER',
  nobody: 'no role',
} as const;

export function formatServing(serving: Serving): string[] {
  const rows: [string, string][] = [
    ['organization', serving.orgId],
    ...Object.entries(roleNames).map(([key, role]): [string, string] => [
      `token, ${role}`,
      serving.tokens[key as keyof typeof roleNames],
    ]),
  ];
  if (serving.keyFile !== undefined) rows.push(['key file, IAM_OWNER', serving.keyFile]);
  if (serving.control !== undefined) {
    rows.push(['control', serving.control.url], ['token, control', serving.control.token]);
  }
  return [
    `Serving on ${serving.url} as ${serving.profile}. Ctrl-C stops it.`,
    ...alignColumns(rows, '  '),
    ...(serving.keyFile === undefined
      ? [`In another terminal: export IDPORT_URL=${serving.url} IDPORT_TOKEN=${serving.tokens.iamOwner}`]
      : []),
  ];
}
