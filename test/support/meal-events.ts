import { ApiSchema } from '@nestjs/swagger';
import { defineScope } from '@animal-store/api-keys';
import type { DomainEvent } from '@animal-store/kernel';
import { type EventDeclaration, TextField } from '@animal-store/openapi';

/** A meal was served to an animal of an account. */
export class MealServed implements DomainEvent {
  readonly name = 'meal.served';

  constructor(
    readonly account: string,
    readonly dish: string,
  ) {}
}

@ApiSchema({ name: 'Meal' })
class MealResponse {
  @TextField({ maxLength: 100, pattern: '^.*$', example: 'hay' })
  dish: string;
}

/** All that the context of meals says of its event. */
export const mealServed: EventDeclaration<MealServed> = {
  name: 'meal.served',
  version: 7,
  summary: 'A meal was served',
  response: MealResponse,
  dataOf: ({ dish }) => ({ dish }),
  accountOf: ({ account }) => account,
  scope: 'meals:read',
};

export const mealScopes = [defineScope('meals:read')];
