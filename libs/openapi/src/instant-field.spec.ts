import { validateSync } from 'class-validator';
import { InstantField } from './fields.js';

class Visit {
  @InstantField()
  startsAt: unknown;

  @InstantField({ each: { maxItems: 3 } })
  reminders: unknown[] = [];
}

function problemsOf(fields: Partial<Visit>): string[] {
  const visit = Object.assign(new Visit(), { startsAt: '2027-01-31T12:00:00Z' }, fields);
  return validateSync(visit).flatMap(({ constraints }) => Object.values(constraints!));
}

describe('@InstantField()', () => {
  it.each([
    '2027-01-31T12:00:00Z',
    '2027-01-31T12:00:00.123456789+05:30',
    '2027-01-31t12:00:00z',
    '2028-02-29T23:59:59-00:00',
    '0050-02-28T12:00:00Z',
  ])('accepts %s', (startsAt) => {
    expect(problemsOf({ startsAt })).toEqual([]);
    expect(Date.parse(startsAt)).not.toBeNaN();
  });

  it.each([
    '2027-01-31T12:00:00',
    '2027-01-31',
    '2027-02-30T12:00:00Z',
    '2027-02-29T12:00:00Z',
    '2027-01-31T24:00:00Z',
    '2027-01-31T12:00:60Z',
    '2027-01-31T12:00:00+99:99',
    'Jan 5',
    '',
    5,
    true,
    null,
    new Date(0),
  ])('refuses %s', (startsAt) => {
    expect(problemsOf({ startsAt })).toEqual([
      'startsAt must be a date and time with a zone (RFC 3339), such as 2027-01-31T12:00:00Z',
    ]);
  });

  it('validates each value of a list', () => {
    expect(problemsOf({ reminders: ['2027-01-31T12:00:00Z'] })).toEqual([]);
    expect(problemsOf({ reminders: ['2027-01-31T12:00:00Z', 'soon'] })).toEqual([
      'each value in reminders must be a date and time with a zone (RFC 3339), such as 2027-01-31T12:00:00Z',
    ]);
  });
});
