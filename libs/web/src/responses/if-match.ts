import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { DomainError, type Precondition } from '@animal-store/kernel';
import { declareErrors } from './declared-errors.js';
import { InvalidParameter } from './http.errors.js';
import { representationOf } from './json-response.js';

export class InvalidIfMatch extends InvalidParameter {
  static override readonly when = 'The `If-Match` is not a list of entity tags.';
  static override readonly fix = 'Copy the `ETag` of the resource with its double quotes, or send `*`.';
  static override readonly example = new InvalidIfMatch();

  constructor() {
    super('If-Match must be the ETag of the resource in double quotes, a list of such tags, or *.');
  }
}

export class PreconditionFailed extends DomainError {
  static readonly when = 'The resource does not have the `ETag` of the `If-Match`: it has changed.';
  static readonly fix = 'Fetch the resource, decide again, and send its new `ETag`.';
  static readonly example = new PreconditionFailed();

  constructor() {
    super('precondition_failed', 'precondition-failed', 'The resource has another ETag than If-Match names.');
  }
}

export class PreconditionRequired extends DomainError {
  static readonly when = 'The operation needs an `If-Match`.';
  static readonly fix = 'Fetch the resource and send its `ETag` as `If-Match`.';
  static readonly example = new PreconditionRequired();

  constructor() {
    super(
      'precondition_required',
      'precondition-required',
      'If-Match is required: the ETag of the resource.',
    );
  }
}

interface IfMatchOptions<State> {
  readonly toResource: (state: State) => object;
  readonly required: boolean;
}

/**
 * The `If-Match` of a request, as a function that the use case calls with the state that it has locked. It throws when the
 * state has another `ETag` than the header names (RFC 9110, section 13.1.1). Undefined without the header.
 *
 * @param toResource what `GET` returns for the state
 * @param options with `required`, a request without the header is refused
 * @throws InvalidIfMatch, PreconditionRequired; the function throws PreconditionFailed.
 * @example
 * ```ts
 * completeOrder(@Param(…) id: bigint, @IfMatch(toOrderResponse) isCurrent?: Precondition<Order>) {
 *   return this.complete.execute(id, isCurrent);
 * }
 * ```
 */
export function IfMatch<State>(
  toResource: (state: State) => object,
  { required = false } = {},
): ParameterDecorator {
  return (target, name, index) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name!)!;
    ReadIfMatch({ toResource, required })(target, name, index);
    const missing = required ? [PreconditionRequired] : [];
    declareErrors([InvalidIfMatch, PreconditionFailed, ...missing])(target, name!, descriptor);
    ApiHeader({
      name: 'If-Match',
      required,
      description:
        'The `ETag` of the resource: the response is 412, and nothing happens, when it has changed.',
      schema: { type: 'string', maxLength: 1024, pattern: `^(\\*|${DOCUMENTED}(, *${DOCUMENTED})*)$` },
    })(target, name!, descriptor);
  };
}

/** Exported for the guard that reads bodies, as it needs none. */
export const ReadIfMatch = createParamDecorator(
  (options: IfMatchOptions<never>, context: ExecutionContext): Precondition<never> | undefined => {
    const header = context.switchToHttp().getRequest<IncomingMessage>().headers['if-match'];
    if (header !== undefined) return preconditionOf(header, options.toResource);
    if (options.required) throw new PreconditionRequired();
    return undefined;
  },
);

/** In ASCII, as OpenAPI describes it. */
const DOCUMENTED = '(W/)?"[!#-~]*"';
const LIST = /^[ \t,]*((W\/)?"[\x21\x23-\x7e\x80-\xff]*"[ \t]*(,[ \t,]*|$))+$/;
const TAG = /(?:W\/)?"[^"]*"/g;

function preconditionOf<State>(header: string, toResource: (state: State) => object): Precondition<State> {
  const text = header.trim();
  if (text === '*') return () => undefined;
  if (!LIST.test(text)) throw new InvalidIfMatch();
  // A weak tag never matches: the service sends none.
  const tags: readonly string[] = text.match(TAG)!;
  return (state) => {
    if (!tags.includes(representationOf(toResource(state)).entityTag)) throw new PreconditionFailed();
  };
}
