/** The rule for names: the number of characters, and that none is a control character. */
export const VISIT_NAME = { minLength: 1, maxLength: 100, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' } as const;

/** A visit to store. It has no id yet. */
export interface NewVisit {
  readonly name: string;
}

/** A stored visit. */
export interface Visit extends NewVisit {
  readonly id: bigint;
}
