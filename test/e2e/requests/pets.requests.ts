import type { ContextRequests } from './context-requests.js';

export const pets: ContextRequests = {
  before: ['POST /v1/pets {"name":"Rex","categoryId":7}'],
  operations: {
    listPets: { request: 'GET /v1/pets' },
    createPet: {
      request: 'POST /v1/pets {"name":"Rex","categoryId":7}',
      other: 'POST /v1/pets {"name":"Mia","categoryId":7}',
    },
    getPet: { request: 'GET /v1/pets/1' },
  },
};
