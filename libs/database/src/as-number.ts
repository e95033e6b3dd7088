/** The transformer of a `bigint` column whose values fit a number, such as milliseconds. Null stays null. */
export const AS_NUMBER = {
  to: (value: number | null) => (value === null ? null : BigInt(value)),
  from: (stored: bigint | null) => (stored === null ? null : Number(stored)),
};
