import type { ContextRequests } from '../e2e/requests/context-requests.js';

export const visits: ContextRequests = {
  before: ['POST /v1/visits {"name":"Robin"}'],
  operations: {
    listVisits: { request: 'GET /v1/visits' },
    createVisit: { request: 'POST /v1/visits {"name":"Robin"}', other: 'POST /v1/visits {"name":"Kim"}' },
    getVisit: { request: 'GET /v1/visits/1' },
  },
  large: {
    rows: (ids) => `INSERT INTO visits (name) SELECT 'Robin' FROM ${ids}`,
    lists: [],
  },
};
