export { NoResponse, OutgoingClient, type OutgoingRequest } from './outgoing.client.js';
export { OutgoingModule } from './outgoing.module.js';
