/** The library entry `idport/webhooks`: verify, sign and receive the calls that the service makes to its targets. */
export { verifySignature, type Refusal, type Refused, type SignedCall, type Verified } from './verify.ts';
export {
  InterruptCall,
  webhookHandler,
  type IncomingCall,
  type VerifiedCall,
  type Webhook,
  type WebhookOptions,
} from './handler.ts';
export type { Answer, WebhookProblem } from './handler.ts';
export { readCall, type CallKind, type PayloadType, type WebhookCall } from './call.ts';
export { signatureHeader, signBody } from '../wire/signature.ts';
