export { addToHeader, isFastifyReply, nodeRequest, nodeResponse, setHeader } from './any-server.js';
export type { AnyRequest, AnyResponse } from './any-server.js';
export { declaredErrors, declareErrors, whenDeclared } from './declared-errors.js';
export {
  declaredBy,
  type HandlerParameter,
  modulePathOf,
  parameterCount,
  parametersOf,
  routePaths,
  SWAGGER_KEYS,
} from './nest-internals.js';
export { oncePer, perRoute } from './once-per.js';
export { READS_NOTHING } from './reads-nothing.js';
export { withoutPort } from './without-port.js';
