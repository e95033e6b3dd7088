export { NoResponse, OutgoingClient } from './outgoing.client.js';
