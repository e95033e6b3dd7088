import { QUESTIONS } from '../../../src/access/domain/ban.js';
import type { ContextRequests } from './context-requests.js';

export const account: ContextRequests = {
  before: [],
  operations: {
    getUsage: { request: 'GET /v1/usage', apart: QUESTIONS },
  },
};
