import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { DomainError, type Precondition } from '@animal-store/kernel';
import { declareErrors, READS_NOTHING } from '@animal-store/kernel/http';
import { InvalidParameter } from '../request.errors.js';
import { representationOf } from '../json-response.js';

export class InvalidIfMatch extends InvalidParameter {
  static override readonly when = 'The `If-Match` is not a list of entity tags.';
  static override readonly fix = 'Copy the `ETag` of the resource with its double quotes, or send `*`.';
  static override readonly example = new InvalidIfMatch();

  constructor() {
    super('If-Match must be the ETag of the resource in double quotes, a list of such tags, or *.');
  }
}

export class InvalidIfNoneMatch extends InvalidParameter {
  static override readonly when = 'The `If-None-Match` of a change is not `*`.';
  static override readonly fix =
    'Send `*` to change nothing when the resource is there already, or leave it out.';
  static override readonly example = new InvalidIfNoneMatch();

  constructor() {
    super('If-None-Match of a change must be *.');
  }
}

export class PreconditionFailed extends DomainError {
  static readonly when: string = 'The resource does not have the `ETag` of the `If-Match`: it has changed.';
  static readonly fix: string = 'Fetch the resource, decide again, and send its new `ETag`.';
  static readonly example: PreconditionFailed = new PreconditionFailed();

  constructor(message = 'The resource has another ETag than If-Match names.') {
    super('precondition_failed', 'precondition-failed', message);
  }
}

/** The refusal of `If-None-Match: *`. */
export class ResourceExists extends PreconditionFailed {
  static override readonly when = 'There is a resource already, and the `If-None-Match` is `*`.';
  static override readonly fix = 'Fetch it, decide again, and send its `ETag` as `If-Match` to replace it.';
  static override readonly example = new ResourceExists();

  constructor() {
    super('There is a resource already, and If-None-Match allows none.');
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

export interface IfMatchOptions<State> {
  /** What `GET` returns for the state: a resource as JSON, or the `ETag` itself. */
  readonly toResource: (state: State) => object | string;
  /** Whether a request without `If-Match` is 428. */
  readonly required: boolean;
  /** Whether `If-None-Match: *` is read too, with which only a new resource is stored. */
  readonly ifNoneMatch: boolean;
}

/**
 * The `If-Match` of a request, as a function that the use case calls with the state that it has locked, or null when
 * there is none. It throws when the state has another `ETag` than the header names (RFC 9110, section 13.1.1).
 * Undefined without the header.
 *
 * @param toResource what `GET` returns for the state; for bytes their `ETag`
 * @param options with `required`, a request without the header is refused; with `ifNoneMatch`, it may have
 *   `If-None-Match: *` instead: the function then throws when there is a state.
 * @throws InvalidIfMatch, InvalidIfNoneMatch, PreconditionRequired; the function throws PreconditionFailed.
 * @example
 * ```ts
 * completeOrder(@Param(…) id: bigint, @IfMatch(toOrderResponse) isCurrent?: Precondition<Order>) {
 *   return this.complete.execute(id, isCurrent);
 * }
 * ```
 */
export function IfMatch<State>(
  toResource: (state: State) => object | string,
  { required = false, ifNoneMatch = false } = {},
): ParameterDecorator {
  return (target, name, index) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name!)!;
    ReadIfMatch({ toResource, required, ifNoneMatch })(target, name, index);
    const missing = required ? [PreconditionRequired] : [];
    const ofNone = ifNoneMatch ? [InvalidIfNoneMatch, ResourceExists] : [];
    declareErrors([InvalidIfMatch, PreconditionFailed, ...ofNone, ...missing])(target, name!, descriptor);
    ApiHeader({
      name: 'If-Match',
      required: required && !ifNoneMatch,
      description:
        'The `ETag` of the resource: the response is 412, and nothing happens, when it has changed.',
      schema: { type: 'string', maxLength: 1024, pattern: `^(\\*|${DOCUMENTED}(, *${DOCUMENTED})*)$` },
    })(target, name!, descriptor);
    if (!ifNoneMatch) return;
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: '`*`: the response is 412, and nothing happens, when the resource is there already.',
      schema: { type: 'string', enum: ['*'] },
    })(target, name!, descriptor);
  };
}

/** Exported for the guard that reads bodies, as it needs none. */
export const ifMatchOf = Object.assign(
  (options: IfMatchOptions<never>, context: ExecutionContext): Precondition<never> | undefined => {
    const { headers } = context.switchToHttp().getRequest<IncomingMessage>();
    const { 'if-match': tags, 'if-none-match': none } = headers;
    const isNew = options.ifNoneMatch && none !== undefined;
    if (isNew && none.trim() !== '*') throw new InvalidIfNoneMatch();
    if (tags === undefined && !isNew) {
      if (options.required) throw new PreconditionRequired();
      return undefined;
    }
    const isCurrent = tags === undefined ? undefined : preconditionOf(tags, options.toResource);
    return (state: never) => {
      isCurrent?.(state);
      if (isNew && state !== null) throw new ResourceExists();
    };
  },
  { [READS_NOTHING]: true },
);

const ReadIfMatch = createParamDecorator(ifMatchOf);

/** The pattern of an entity tag in OpenAPI, in ASCII. */
const DOCUMENTED = '(W/)?"[!#-~]*"';
const LIST = /^[ \t,]*((W\/)?"[\x21\x23-\x7e\x80-\xff]*"[ \t]*(,[ \t,]*|$))+$/;
const TAG = /(?:W\/)?"[^"]*"/g;
const WEAK =
  'If-Match has a weak tag (W/), as of a response that a proxy has compressed. Fetch the resource with "Accept-Encoding: identity".';

function preconditionOf<State>(
  header: string,
  toResource: (state: State) => object | string,
): Precondition<State | null> {
  const text = header.trim();
  const isAny = text === '*';
  if (!isAny && !LIST.test(text)) throw new InvalidIfMatch();
  const tags: readonly string[] = text.match(TAG) ?? [];
  // A weak tag never matches, and the service sends none.
  const isWeak = tags.some((tag) => tag.startsWith('W/'));
  return (state) => {
    if (state === null) throw new PreconditionFailed('There is no resource that If-Match could name.');
    if (isAny) return;
    const resource = toResource(state);
    const tag = typeof resource === 'string' ? resource : representationOf(resource).entityTag;
    if (!tags.includes(tag)) throw new PreconditionFailed(isWeak ? WEAK : undefined);
  };
}
