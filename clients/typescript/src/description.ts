/** Where the int64s are in a JSON value. What a shape does not name has none. */
export type Shape =
  | 'int64'
  | { readonly items: Shape }
  | {
      readonly fields?: Readonly<Record<string, Shape>>;
      /** Of every field that `fields` does not name. */
      readonly values?: Shape;
    }
  /** The name of a shape in `SHAPES`. */
  | { readonly schema: string };

/** How an operation is sent. What its input has beyond the parameters of `path` and `query` are the fields of the body. */
export interface OperationDescription {
  readonly method: string;
  /** Below the base URL, with its parameters in braces. */
  readonly path: string;
  /** The names of the query parameters. */
  readonly query: readonly string[];
  readonly hasBody: boolean;
  readonly takesIdempotencyKey: boolean;
  /** The largest `limit` of a list that has one. */
  readonly largestPage?: number;
  readonly input?: Shape;
  readonly output?: Shape;
}
