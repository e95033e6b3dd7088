import type { OperationErrorCodes } from './generated/operations.js';
import type { operations } from './generated/schema.js';
import type { Shape } from './json/shape.js';
import type { Limits, ResponseInfo } from './response-info.js';

export type OperationName = keyof operations;

/** How an operation is sent. The fields of the input that are not in `line` form the body. */
export interface OperationDescription {
  /** Method, path and query below the base URL: `GET /pets/{petId}`, `GET /pets?limit&status`. */
  readonly line: string;
  /** Whether its path is below the base URL without the version of that: `GET /v2/pets`. */
  readonly isAtRoot?: true;
  /** `v2` of `listPetsV2`, which is the method `v2.listPets`. */
  readonly version?: string;
  /** The headers that options of a call set: `If-Match` is set by `ifMatch`. */
  readonly headers?: readonly string[];
  readonly body?: 'json' | 'bytes';
  /** The largest `limit` of a list; undefined for other operations. */
  readonly largestPage?: number;
  readonly input?: Shape;
  /** What a successful response has. Default: JSON, or nothing. */
  readonly result?: 'bytes';
  readonly output?: Shape;
}

type Section<Given> = [NonNullable<Given>] extends [never] ? unknown : NonNullable<Given>;
type BodyOf<Name extends OperationName> = operations[Name]['requestBody'] extends {
  content: { 'application/json': infer Body };
}
  ? Body
  : operations[Name]['requestBody'] extends { content: infer Types }
    ? { bytes: Blob | Uint8Array<ArrayBuffer>; mediaType: keyof Types }
    : undefined;
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** An int64 may also be a number, if that is exact. */
type WithNumbers<Type> = Type extends bigint
  ? bigint | number
  : Type extends Blob | Uint8Array
    ? Type
    : Type extends object
      ? { [Key in keyof Type]: WithNumbers<Type[Key]> }
      : Type;

/** A list may also be one value, as a parameter that is given once looks the same. */
type WithSingles<Query> = {
  [Key in keyof Query]: Query[Key] extends readonly (infer Value)[] | undefined
    ? Value | readonly Value[] | Extract<Query[Key], undefined>
    : Query[Key];
};

/**
 * The input of an operation, in one flat object: its path and query parameters and the fields of its body. A body of
 * bytes has two: `bytes` and `mediaType`.
 */
export type Input<Name extends OperationName> = WithNumbers<
  Flat<
    Section<operations[Name]['parameters']['path']> &
      WithSingles<Section<operations[Name]['parameters']['query']>> &
      Section<BodyOf<Name>>
  >
>;

/** Bytes are a Blob, whatever their media type. */
type ContentOf<Response> = Response extends { content: infer Types }
  ? Types extends { 'application/json': infer Json }
    ? Json
    : Blob
  : void;

type Success<Responses> = Responses extends { 201: infer Created }
  ? Created
  : Responses extends { 200: infer Found }
    ? Found
    : Responses extends { 202: infer Accepted }
      ? Accepted
      : void;

/** The result of a successful operation: a Blob of bytes, and undefined when the response has no body. */
export type Output<Name extends OperationName> = ContentOf<Success<operations[Name]['responses']>>;

/** The result of a successful operation and its response. */
export interface Result<Name extends OperationName> {
  data: Output<Name>;
  /** Status and headers, such as `ETag`. Its body is read already: it is `data`. */
  response: Response;
  /** The rate limit after this request; null when the response is not from the service. */
  limits: Limits | null;
}

export interface CallOptions {
  /** Ends the call, also during a wait between attempts. The call rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** How long one attempt may take, including its body. Overrides the `timeoutMs` of the client. */
  timeoutMs?: number;
  /** Further headers. They replace headers of the same name, also those of the client. */
  headers?: Readonly<Record<string, string>>;
  /** Called with every response to this call, before the `onResponse` of the client. */
  onResponse?: (info: ResponseInfo) => void;
}

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text;

/** The option that sets a header: `ifMatch` for `If-Match`. */
type OptionOf<Header extends string> = CamelCase<Lowercase<Header>>;

/**
 * The options of a call: those of every call, and one for each header that the operation accepts. Without an
 * `idempotencyKey` every call has a new one.
 */
export type Options<Name extends OperationName> = CallOptions & {
  [Header in keyof Section<operations[Name]['parameters']['header']> & string as OptionOf<Header>]?: string;
};

/** One operation of the service as a function. Throws `StoreError` when the service refuses. */
export type Method<Name extends OperationName> = (
  ...args: object extends Input<Name>
    ? [input?: Input<Name>, options?: Options<Name>]
    : [input: Input<Name>, options?: Options<Name>]
) => Promise<Output<Name>>;

/** The `code` of a `StoreError` of an operation. A newer service may send others. */
export type ErrorCodeOf<Name extends OperationName> =
  OperationErrorCodes[Name] | 'redirected' | 'unreachable' | 'unknown';

/** Operations that return one page of a list. */
export type ListName = {
  [Name in OperationName]: Output<Name> extends readonly unknown[] ? Name : never;
}[OperationName];

/** One item of a list. */
export type Item<Name extends ListName> = Output<Name> extends readonly (infer Element)[] ? Element : never;
