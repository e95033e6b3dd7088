/** The rule for names: the number of characters, and that none is a control character. */
export const VISIT_NAME = { minLength: 1, maxLength: 100, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' } as const;

export interface Visit {
  readonly id: bigint;
  readonly name: string;
}

/** A visit that has no id yet. */
export type NewVisit = Omit<Visit, 'id'>;
