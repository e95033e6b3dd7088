export { NoResponse, OutgoingClient, type OutgoingRequest } from './outgoing.client.js';
