import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';

const PATTERN = '^(0|[1-9]\\d{0,5})(\\.\\d{1,2})?$';

/** An amount of money. It is text, as many readers of JSON lose digits of a number. */
export function Price(description: string): PropertyDecorator {
  return applyDecorators(
    Matches(new RegExp(PATTERN), { message: '$property must be an amount in text, such as "147.50"' }),
    ApiProperty({ type: 'string', pattern: PATTERN, maxLength: 9, description, example: '147.50' }),
  );
}

export function toCents(price: string): bigint {
  const [whole = '', part = ''] = price.split('.');
  return BigInt(whole + part.padEnd(2, '0'));
}

export function fromCents(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}
