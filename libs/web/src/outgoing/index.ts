export {
  NoResponse,
  OutgoingClient,
  type OutgoingRequest,
  type OutgoingResponse,
  type OutgoingRules,
} from './outgoing.client.js';
export { OutgoingModule } from './outgoing.module.js';
export { type ResolveHost } from './resolve-host.js';
