/** Where the int64s are in a JSON value. Parts without a shape have none. */
export type Shape =
  /** `int64`, or the name of a shape in `SHAPES`. */
  | string
  | {
      readonly items?: Shape;
      readonly fields?: Readonly<Record<string, Shape>>;
      /** The shape of every field that is not in `fields`. */
      readonly values?: Shape;
    };
