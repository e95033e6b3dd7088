export { ErrorResponse } from './error.response.js';
