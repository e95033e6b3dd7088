export { corsOptions, isPreflightFrom } from './cors.js';
export { IdPipe } from './id.pipe.js';
export { inputErrors, refusedInputs } from './input/handler-input.js';
export { undocumentedInputs } from './input/declared-inputs.js';
export { accepts, type DtoField, dtoOf, isDtoType } from './input/dto.js';
export { Follows, IsInt64, IsList, type Rule } from './input/rules.js';
export { BodyLimits, RequestInputGuard } from './input/request-input.guard.js';
export { BytesBody, bytesSchema, SendsBytes } from './input/body/bytes-body.js';
export { AsSent, RequestValidationPipe } from './input/request-validation.pipe.js';
export { refuseOpenGateways } from './open-gateways.js';
export { factsOf, REQUEST_ID } from './request-facts.js';
export { entityTag } from './responses/conditions/entity-tag.js';
export { IfMatch } from './responses/conditions/if-match.js';
export { IfNoneMatch, type IsKnown } from './responses/conditions/if-none-match.js';
export { describeError, type ErrorDescription, ERRORS_PAGE, refuse } from './responses/error.mapper.js';
export {
  BODY_ERRORS,
  EVERY_OPERATION,
  InvalidParameter,
  LIST_ERRORS,
  NO_OPERATION,
  PayloadTooLarge,
  RangeNotSatisfiable,
} from './responses/request.errors.js';
export { ListDto, requestedList } from './responses/list-query.js';
export { showCreated, showPage } from './responses/resource-responses.js';
export { ACCEPT_LIMIT_MS, FrontDoor, type RequestWatch, type ServerLimits } from './server/front-door.js';
export { JsonExpressAdapter } from './server/express-adapter.js';
export { EventStream } from './streams/event-stream.js';
export { LastEventId } from './streams/last-event-id.js';
export { OpenStream } from './streams/open-stream.js';
export { type StreamBounds, Streams } from './streams/streams.js';
export { requireListedVersions, versionOf } from './versioning.js';
