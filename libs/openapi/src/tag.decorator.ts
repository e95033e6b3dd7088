import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';

export interface TagOptions {
  readonly name: string;
  readonly description: string;
}

/** Stores the description of a tag, which `@ApiTags` does not. */
export const TagMetadata = Reflector.createDecorator<TagOptions>();

/** Puts the operations of a controller under a heading of the OpenAPI document. */
export function Tag(name: string, description: string): ClassDecorator {
  return applyDecorators(ApiTags(name), TagMetadata({ name, description }));
}
