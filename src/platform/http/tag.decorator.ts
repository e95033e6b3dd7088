import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';

export interface TagFacts {
  readonly name: string;
  readonly description: string;
}

/** Beside `@ApiTags`, which leaves out what describes a tag. */
export const TagFactsOf = Reflector.createDecorator<TagFacts>();

/** Puts the operations of a controller under a heading of the OpenAPI document. */
export function Tag(name: string, description: string): ClassDecorator {
  return applyDecorators(ApiTags(name), TagFactsOf({ name, description }));
}
