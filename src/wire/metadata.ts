/** Metadata of users, versions 1 and 2; values are base64 of 1 to 500,000 bytes. */
import { listResponse, details, pagination, paginationResponse, textQuery, query } from './details.ts';
import { text, shortText, bytes, timestamp, list, message, ruled } from './message.ts';

const key = shortText;
const value = ruled(bytes, { min: 1, max: 500_000 });

export const bulkSetMetadataRequest = message('BulkSetUserMetadataRequest', {
  id: shortText,
  metadata: list(message('BulkSetUserMetadataRequest_Metadata', { key: key, value: value })),
});

export const setMetadataRequest = message('SetUserMetadataRequest', {
  id: shortText,
  key: key,
  value: value,
});

export const metadata = message('Metadata', {
  details,
  key: text,
  value: bytes,
});

const keyQuery = textQuery('MetadataKeyQuery', 'key');
export const listMetadataRequest = message('ListUserMetadataRequest', {
  id: shortText,
  query,
  queries: list(message('MetadataQuery', { keyQuery })),
});
export const listMetadataResponse = listResponse('ListUserMetadataResponse', metadata);
export const getMetadataResponse = message('GetUserMetadataResponse', { metadata: metadata });

export const setMetadataV2Request = message('SetUserMetadataRequest', {
  userId: shortText,
  metadata: list(message('Metadata', { key: key, value: value })),
});
export const setMetadataV2Response = message('SetUserMetadataResponse', { setDate: timestamp });

export const listMetadataV2Request = message('ListUserMetadataRequest', {
  userId: shortText,
  pagination,
  filters: list(
    message('MetadataSearchFilter', {
      keyFilter: textQuery('MetadataKeyFilter', 'key'),
    }),
  ),
});
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
