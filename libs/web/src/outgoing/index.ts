export { NoResponse, OutgoingClient, type OutgoingRequest, type OutgoingRules } from './outgoing.client.js';
export { isPublicAddress } from './public-address.js';
export { type ResolveHost } from './resolve-host.js';
