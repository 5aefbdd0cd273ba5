/** Metadata of users, versions 1 and 2; values are base64 of 1 to 500,000 bytes. */
import { listQuery, objectDetails, textQueryMethod, listResponse } from './details.ts';
import { bytes, list, message, text, timestamp, uint64 } from './message.ts';

const key = () => text({ min: 1, max: 200 });
const value = () => bytes({ min: 1, max: 500_000 });

export const bulkSetMetadataRequest = message('BulkSetUserMetadataRequest', {
  id: text({ min: 1, max: 200 }),
  metadata: list(message('BulkSetUserMetadataRequest_Metadata', { key: key(), value: value() })),
});

export const setMetadataRequest = message('SetUserMetadataRequest', {
  id: text({ min: 1, max: 200 }),
  key: key(),
  value: value(),
});

export const metadata = message('Metadata', {
  details: objectDetails.optional(),
  key: text(),
  value: bytes(),
});

const keyQuery = message('MetadataKeyQuery', { key: text({ max: 200 }), method: textQueryMethod() });
export const listMetadataRequest = message('ListUserMetadataRequest', {
  id: text({ min: 1, max: 200 }),
  query: listQuery.optional(),
  queries: list(message('MetadataQuery', { keyQuery: keyQuery.optional() })),
});
export const listMetadataResponse = listResponse('ListUserMetadataResponse', metadata);
export const getMetadataResponse = message('GetUserMetadataResponse', { metadata: metadata.optional() });

export const setMetadataV2Request = message('SetUserMetadataRequest', {
  userId: text({ min: 1, max: 200 }),
  metadata: list(message('Metadata', { key: key(), value: value() })),
});
export const setMetadataV2Response = message('SetUserMetadataResponse', { setDate: timestamp() });

const pagination = message('PaginationRequest', listQuery.shape);
export const listMetadataV2Request = message('ListUserMetadataRequest', {
  userId: text({ min: 1, max: 200 }),
  pagination: pagination.optional(),
  filters: list(
    message('MetadataSearchFilter', {
      keyFilter: message('MetadataKeyFilter', {
        key: text({ max: 200 }),
        method: textQueryMethod(),
      }).optional(),
    }),
  ),
});
export const metadataV2 = message('Metadata', {
  creationDate: timestamp(),
  changeDate: timestamp(),
  key: text(),
  value: bytes(),
});
export const listMetadataV2Response = message('ListUserMetadataResponse', {
  pagination: message('PaginationResponse', { totalResult: uint64(), appliedLimit: uint64() }).optional(),
  metadata: list(metadataV2),
});
