/**
 * Names of the release before: they are read, and written beside the new ones. Files that outlive a release (journals,
 * data folders) keep theirs.
 */

/** Keys of events and reports, by the new name. */
export const oldKeys = { algorithm: 'family', emails: 'mails', users: 'people' } as const;

/** With the key of the release before. */
export function withOldAlgorithm<Named extends { readonly algorithm: string }>(named: Named) {
  return { ...named, [oldKeys.algorithm]: named.algorithm };
}

/** Types of events. */
export const oldEvents = { 'user:compared': 'person:compared' } as const;

/** Fields that `verify` compares. */
export const oldFields: Readonly<Record<string, string>> = { email: 'e-mail' };

/** Codes of notices. */
export const oldCodes: Readonly<Record<string, string>> = {
  'emails:over': 'mails:over',
  'export:fixed': 'export:mended',
  'undo:previous': 'undo:earlier',
};

/** In journals: the users of an intent, the list of users in the plan of import-users, a setting. */
export const journalNames = { users: 'people', fingerprintedWithLists: 'person, lists' } as const;

/** Settings in journals, and features in profile files, by the old name. */
export const renamedSettings: ReadonlyMap<string, string> = new Map([['pbkdf2Spelling', 'pbkdf2Encoding']]);

/** Flags, by the old name. */
export const renamedFlags: ReadonlyMap<string, string> = new Map([['pbkdf2-spelling', 'pbkdf2-encoding']]);

/** Standard callers of the reference server. */
export const oldRoles = { noRole: 'nobody' } as const;

/** Paths of the control interface, and tables of a data folder. */
export const oldNotifications = 'mails';
