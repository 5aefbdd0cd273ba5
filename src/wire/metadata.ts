/** Metadata of users, versions 1 and 2; values are base64 of 1 to 500,000 bytes. */
import { listResponse, details, paginationResponse } from './details.ts';
import { text, bytes, timestamp, list, message } from './message.ts';

export const metadata = message('Metadata', {
  details,
  key: text,
  value: bytes,
});

export const listMetadataResponse = listResponse('ListUserMetadataResponse', metadata);
export const metadataV2 = message('Metadata', {
  creationDate: timestamp,
  changeDate: timestamp,
  key: text,
  value: bytes,
});
export const listMetadataV2Response = message('ListUserMetadataResponse', {
  pagination: paginationResponse,
  metadata: list(metadataV2),
});
