/** What users should know of an input or a run as a whole. It is shown as it is, and a report also has its places. */
import type { NoticeCode } from './records/notices.ts';
import type { ReasonCode } from './records/reasons.ts';

/** Never contains a secret. */
export interface Notice {
  readonly type: 'notice';
  readonly level: 'info' | 'warning';
  /** A reason code if the notice counts users. */
  readonly code: NoticeCode | ReasonCode;
  readonly text: string;
  /** Places in inputs, for the report file. Not set if the notice is about the whole input. */
  readonly places?: readonly PlaceList[];
}

/** Lines of an input (or elements, if it has no lines), from 1, as ascending `[first, last]` pairs. */
export interface PlaceList {
  readonly input: string;
  readonly ranges: readonly (readonly [number, number])[];
}

export type Notify = (notice: Notice) => void;

export const note = (code: Notice['code'], text: string): Notice => ({
  type: 'notice',
  level: 'info',
  code,
  text,
});
export const warning = (code: Notice['code'], text: string): Notice => ({
  ...note(code, text),
  level: 'warning',
});
