/** Writes entries as the text of a list of organizations, without holding more than one entry. */
import { kindOf } from '../../wire/org-entries.ts';

export interface WrittenEntry {
  readonly list: string;
  readonly orgId: string;
  /** JSON. */
  readonly text: string;
}

/**
 * Entries of one organization and list that follow each other stand together; where another list or organization
 * begins, another element of the list of organizations does. The service works off such elements one by one.
 */
export class OrgRuns {
  /** The list that stands open. */
  #open: string | undefined;
  #started = false;

  /** The text to write next. */
  add({ list, orgId, text }: WrittenEntry): string {
    const org = `{"orgId":${JSON.stringify(orgId)},`;
    if (kindOf(list).members !== undefined) return `${this.#next(undefined)}${org}${text.slice(1)}`;
    const place = `${list}\n${orgId}`;
    if (this.#open === place) return `,\n${text}`;
    return `${this.#next(place)}${org}"${list}":[\n${text}`;
  }

  end(): string {
    const text = this.#open === undefined ? '' : ']}';
    this.#open = undefined;
    return text;
  }

  #next(place: string | undefined): string {
    const before = this.#started ? `${this.end()},\n` : '';
    this.#started = true;
    this.#open = place;
    return before;
  }
}
