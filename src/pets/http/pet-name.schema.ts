/**
 * The OpenAPI schema of a name; `petNameProblem` checks the rule. The pattern spells the control characters as ranges,
 * which every regular expression dialect understands.
 */
export const petNameSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  example: 'Rex',
} as const;
