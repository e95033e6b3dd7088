/** What the OpenAPI document says of a name; `petNameProblem` is the rule. Control characters spelled for any dialect. */
export const petNameSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  example: 'Rex',
} as const;
