import { petNameProblem } from './pet.rules.js';

describe('petNameProblem', () => {
  it.each([
    'Rex',
    ' Rex ',
    '🦜'.repeat(255),
    'a'.repeat(255),
    `  ${'a'.repeat(255)}  `,
    'Łucja',
    'e\u0301',
    '\tRex\n',
  ])('accepts %j', (name) => {
    expect(petNameProblem(name)).toBeNull();
  });

  it.each([
    ['', 'must not be empty or blank'],
    [' \t\n ', 'must not be empty or blank'],
    ['\u00a0\u2003', 'must not be empty or blank'],
    ['a'.repeat(256), 'must have at most 255 characters'],
    ['🦜'.repeat(256), 'must have at most 255 characters'],
    ['Re\u0000x', 'must not contain control characters'],
    ['Re\nx', 'must not contain control characters'],
    ['Re\u0085x', 'must not contain control characters'],
    ['Rex \ud83e', 'must not contain lone surrogates'],
    [7n, 'must be a string'],
    [null, 'must be a string'],
    [undefined, 'must be a string'],
    [['Rex'], 'must be a string'],
  ])('refuses %j', (name, problem) => {
    expect(petNameProblem(name)).toBe(problem);
  });
});
