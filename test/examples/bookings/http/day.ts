import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsISO8601, Matches } from 'class-validator';

/** A day that exists: `2027-01-31`. */
export function Day(facts: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(
    IsISO8601({ strict: true }, { message: '$property must be a day that exists, such as 2027-01-31' }),
    Matches(/^\d{4}-\d\d-\d\d$/, { message: '$property must be a day, such as 2027-01-31' }),
    ApiProperty({ type: 'string', format: 'date', maxLength: 10, example: '2027-01-31', ...facts }),
  );
}
