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
  large: {
    // Nearly all are old and sold. So a search for another one in the order of ids reads the table.
    rows: (ids, count) => `INSERT INTO pets (name, category_id, status)
      SELECT 'Rex', 7, CASE WHEN id > ${count - 100} THEN 'available' ELSE 'sold' END FROM ${ids}`,
    lists: ['GET /v1/pets?status=available', 'GET /v1/pets?status=pending', 'GET /v1/pets?status=sold'],
  },
};
