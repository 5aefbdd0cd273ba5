/** How many people there are and what follows them in; the number of each entry of the journal out. */

/** What `_import` leaves out and another call can do, for one person. */
export type FollowUpKind = 'metadata' | 'state';

export interface Plan {
  readonly people: number;
  /** Entries of the lists of a body that refer to people: each is one call. */
  readonly metadata: number;
  readonly links: number;
}

const offsets: Readonly<Record<FollowUpKind, number>> = { metadata: 0, state: 1 };

/** People first, by their own number. */
export function followUpNumber({ people }: Plan, kind: FollowUpKind, person: number): number {
  return people + 2 * person + offsets[kind];
}

export function metadataNumber({ people }: Plan, index: number): number {
  return 3 * people + index;
}

export function linkNumber({ people, metadata }: Plan, index: number): number {
  return 3 * people + metadata + index;
}

/** As the journal's header has it. */
export function planLines({ people, metadata, links }: Plan): [string, number][] {
  return [
    ['people', people],
    ['followUps', 2 * people],
    ['userMetadata', metadata],
    ['userLinks', links],
  ];
}
