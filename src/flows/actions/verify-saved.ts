/** Checks the signature of a saved call. */
import { readCall, type WebhookCall } from '../../webhooks/call.ts';
import { headerOf, parseSavedRequest } from '../../webhooks/saved-request.ts';
import { verifySignature, type Refused, type Verified } from '../../webhooks/verify.ts';
import { signatureHeader } from '../../wire/signature.ts';

export interface VerifySavedOptions {
  readonly keys: readonly string[];
  /** Given where the file holds the body alone. */
  readonly signature: string | undefined;
  /** The time to check the age by; undefined takes the time at which the call was recorded, else now. */
  readonly at: number | undefined;
  readonly now: number;
  /** Seconds. */
  readonly tolerance: number;
  readonly allowFuture: boolean;
}

export interface SavedVerdict {
  readonly verdict: Verified | Refused;
  readonly content: WebhookCall;
  /** The time that the age was checked by. */
  readonly judgedAt: number;
  /** Something else that is odd about the file; undefined where nothing is. */
  readonly remark: string | undefined;
}

export function verifySaved(file: Uint8Array, options: VerifySavedOptions): SavedVerdict {
  const saved = options.signature === undefined ? parseSavedRequest(file) : undefined;
  const body = saved?.body ?? file;
  const judgedAt = options.at ?? saved?.receivedAt ?? options.now;
  const verdict = verifySignature({
    body,
    header: saved === undefined ? options.signature : headerOf(saved.headers, signatureHeader),
    key: options.keys,
    tolerance: options.tolerance,
    allowFuture: options.allowFuture,
    now: judgedAt,
  });
  const declared = saved === undefined ? [] : headerOf(saved.headers, 'content-length');
  return { verdict, content: readCall(body), judgedAt, remark: compareLength(declared[0], body.length) };
}

function compareLength(declared: string | undefined, found: number): string | undefined {
  if (declared === undefined || Number(declared) === found) return undefined;
  return `the file holds a body of ${found} bytes, its Content-Length says ${declared}`;
}
