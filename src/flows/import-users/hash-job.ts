/** What threads that hash passwords run. */
export { startJob } from '../convert/hash-plaintext.ts';
