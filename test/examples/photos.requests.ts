import type { ContextRequests } from '../e2e/requests/context-requests.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const IS_PNG = { 'Content-Type': 'image/png' };

/** Animals 1 and 2 have a photo, animal 3 has none. */
export const photos: ContextRequests = {
  before: [
    'POST /v1/pets {"name":"Rex","categoryId":7}',
    'POST /v1/pets {"name":"Mia","categoryId":7}',
    'POST /v1/pets {"name":"Ada","categoryId":7}',
    ['PUT /v1/pets/1/photo', IS_PNG, PNG],
    ['PUT /v1/pets/2/photo', IS_PNG, PNG],
  ],
  operations: {
    setPhoto: {
      request: ['PUT /v1/pets/1/photo', IS_PNG, PNG],
      jointRule: 'The bytes are a picture of the type.',
    },
    getPhoto: { request: 'GET /v1/pets/1/photo' },
    removePhoto: {
      request: 'DELETE /v1/pets/2/photo',
      errors: { photo_not_found: 'DELETE /v1/pets/3/photo' },
    },
    followPhoto: { request: 'GET /v1/pets/1/photo/changes' },
    countPhotos: { request: 'GET /v1/photo-counts' },
    watchPhotoCounts: { request: 'GET /v1/photo-counts/changes' },
  },
};
