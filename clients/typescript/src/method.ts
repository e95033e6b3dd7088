import type { OperationName } from './operation-name.js';
import type { ResponseInfo } from './response-info.js';
import type { operations } from './schema.js';

type Section<Given> = [NonNullable<Given>] extends [never] ? unknown : NonNullable<Given>;
type BodyOf<Name extends OperationName> = operations[Name]['requestBody'] extends {
  content: { 'application/json': infer Body };
}
  ? Body
  : undefined;
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** An int64 may also be a number, if that is exact. */
type WithNumbers<Type> = Type extends bigint
  ? bigint | number
  : Type extends object
    ? { [Key in keyof Type]: WithNumbers<Type[Key]> }
    : Type;

/** The input of an operation, in one flat object: its path and query parameters and the fields of its body. */
export type Input<Name extends OperationName> = WithNumbers<
  Flat<
    Section<operations[Name]['parameters']['path']> &
      Section<operations[Name]['parameters']['query']> &
      Section<BodyOf<Name>>
  >
>;

type JsonOf<Response> = Response extends { content: { 'application/json': infer Json } } ? Json : void;

type Success<Responses> = Responses extends { 201: infer Created }
  ? Created
  : Responses extends { 200: infer Found }
    ? Found
    : Responses extends { 202: infer Accepted }
      ? Accepted
      : void;

/** The result of a successful operation; undefined when the response has no body. */
export type Output<Name extends OperationName> = JsonOf<Success<operations[Name]['responses']>>;

export interface CallOptions {
  /** Ends the call, also during a wait between tries. The call rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** How long one try may take, including its body. Overrides the `timeoutMs` of the client. */
  timeoutMs?: number;
  /** For operations that take one. Default: a new key for every call. */
  idempotencyKey?: string;
  /** Called with every response to this call, before the `onResponse` of the client. */
  onResponse?: (info: ResponseInfo) => void;
}

/** One operation of the service as a function. Throws `StoreError` when the service refuses. */
export type Method<Name extends OperationName> = (
  ...args: object extends Input<Name>
    ? [input?: Input<Name>, options?: CallOptions]
    : [input: Input<Name>, options?: CallOptions]
) => Promise<Output<Name>>;

/** Operations that return one page of a list. */
export type ListName = {
  [Name in OperationName]: Output<Name> extends readonly unknown[] ? Name : never;
}[OperationName];

/** One item of a list. */
export type Item<Name extends ListName> = Output<Name> extends readonly (infer Element)[] ? Element : never;
