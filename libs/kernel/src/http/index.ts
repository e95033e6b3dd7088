export { addToHeader, isFastifyReply, nodeRequest, nodeResponse, setHeader } from './any-server.js';
export type { AnyRequest, AnyResponse, FastifyReply } from './any-server.js';
export { oncePer, perRoute } from './once-per.js';
