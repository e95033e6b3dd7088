/** Where the int64s are in a JSON value. Parts without a shape have none. */
export type Shape =
  | 'int64'
  | { readonly items: Shape }
  | {
      readonly fields?: Readonly<Record<string, Shape>>;
      /** The shape of every field that is not in `fields`. */
      readonly values?: Shape;
    }
  /** The name of a shape in `SHAPES`. */
  | { readonly schema: string };

/** How an operation is sent. The fields of the input that are not in `path` or `query` form the body. */
export interface OperationDescription {
  readonly method: string;
  /** Below the base URL, with its parameters in braces. */
  readonly path: string;
  /** The names of the query parameters. */
  readonly query: readonly string[];
  readonly hasBody: boolean;
  readonly takesIdempotencyKey: boolean;
  /** The largest `limit` of a list; undefined for other operations. */
  readonly largestPage?: number;
  readonly input?: Shape;
  readonly output?: Shape;
}
