import { USAGE_REQUESTS } from '../../../src/access/domain/ban.js';
import type { ContextRequests } from './context-requests.js';

/** Key 1, on the Business plan, sends these. Key 2 is Free and revoked. Tests have Free keys, from 3 on: `key_own`. */
export const account: ContextRequests = {
  before: ['POST /v1/keys {"name":"Till","plan":"free"}', 'DELETE /v1/keys/key_2'],
  operations: {
    getUsage: { request: 'GET /v1/usage', apart: USAGE_REQUESTS },
    listKeys: { request: 'GET /v1/keys' },
    createKey: {
      request: 'POST /v1/keys {"name":"Till"}',
      jointRule:
        'The plan, the scopes and expiresAt are at most those of the key, expiresAt is in the future, and there is room.',
      errors: {
        exceeds_own_key: 'POST /v1/keys {"name":"Till","plan":"business"}',
        too_many_keys: 'POST /v1/keys {"name":"Till"}',
      },
    },
    getKey: { request: 'GET /v1/keys/key_1' },
    rotateKey: {
      request: 'POST /v1/keys/key_3/rotate',
      errors: {
        invalid_parameter: 'POST /v1/keys/key_3/rotate?graceSeconds=-1',
        exceeds_own_key: 'POST /v1/keys/key_1/rotate',
        inactive_api_key: 'POST /v1/keys/key_2/rotate',
        own_key_needs_grace: 'POST /v1/keys/key_own/rotate?graceSeconds=0',
        too_many_keys: 'POST /v1/keys/key_3/rotate',
      },
    },
    revokeKey: {
      request: 'DELETE /v1/keys/key_2',
      errors: {
        invalid_parameter: 'DELETE /v1/keys/key_2?descendants=maybe',
        exceeds_own_key: 'DELETE /v1/keys/key_1',
      },
    },
  },
};
