type Line = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /v1/${string}`;

/** A request in one line: `POST /v1/pets {"name":"Rex"}`. With headers: `['DELETE /v1/reviews/1', { 'If-Match': '*' }]`. */
export type RequestLine = Line | readonly [Line, Readonly<Record<string, string>>];

export interface OperationRequests {
  /** A valid request. */
  readonly request: RequestLine;
  /** A second valid request, for an operation with `@Idempotent()`. */
  readonly other?: RequestLine;
  /** Of an operation with `@RateLimit({ cost })`. */
  readonly cost?: number;
  /** The request that provokes each specific error, by code. A 404 needs none when no resource has the largest id. */
  readonly errors?: Readonly<Record<string, RequestLine>>;
}

/** What the test of every response sends to the operations of one context. */
export interface ContextRequests {
  /** Requests that are sent first, one after another, to an empty database. Its ids start at 1. */
  readonly before: readonly RequestLine[];
  /** The requests of each operation, by operation id. */
  readonly operations: Readonly<Record<string, OperationRequests>>;
}
