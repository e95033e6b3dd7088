import type { operations } from './schema.js';

export type OperationName = keyof operations;

type Section<Given> = [NonNullable<Given>] extends [never] ? unknown : NonNullable<Given>;
type BodyOf<Name extends OperationName> = operations[Name]['requestBody'] extends {
  content: { 'application/json': infer Body };
}
  ? Body
  : undefined;
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** What an operation takes, in one flat object: its path and query parameters and the fields of its body. */
export type Input<Name extends OperationName> = Flat<
  Section<operations[Name]['parameters']['path']> &
    Section<operations[Name]['parameters']['query']> &
    Section<BodyOf<Name>>
>;

type JsonOf<Response> = Response extends { content: { 'application/json': infer Json } } ? Json : never;

/** What an operation answers with when all went well. */
export type Answer<Name extends OperationName> = operations[Name]['responses'] extends { 201: infer Created }
  ? JsonOf<Created>
  : operations[Name]['responses'] extends { 200: infer Found }
    ? JsonOf<Found>
    : never;

export interface CallOptions {
  /** Ends the call, a wait between two tries included. */
  signal?: AbortSignal;
  /** For operations that take one; made for every call that is given none. */
  idempotencyKey?: string;
}

/** One operation of the service as a function. Throws `StoreError` when the service refuses. */
export type Method<Name extends OperationName> = (
  ...args: object extends Input<Name>
    ? [input?: Input<Name>, options?: CallOptions]
    : [input: Input<Name>, options?: CallOptions]
) => Promise<Answer<Name>>;

/** Operations that answer with one page of a list. */
export type ListName = {
  [Name in OperationName]: Answer<Name> extends readonly unknown[] ? Name : never;
}[OperationName];
