export { NoResponse, OutgoingClient } from './outgoing.client.js';
export { OutgoingModule } from './outgoing.module.js';
