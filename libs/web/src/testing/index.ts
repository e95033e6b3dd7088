export { exchange, parseResponses, RawConnection, type RawResponse } from './raw-connection.js';
