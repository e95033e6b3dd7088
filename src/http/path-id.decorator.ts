import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { parseInt64 } from '../shared/int64.js';

interface PathIdFacts {
  readonly name: string;
  readonly notFound: new () => Error;
}

const readId = createParamDecorator(({ name, notFound }: PathIdFacts, context: ExecutionContext): bigint => {
  const id = parseInt64(String(context.getArgByIndex<Request>(0).params[name]));
  if (id === null) throw new notFound();
  return id;
});

/**
 * The id that stands at `:name` in the path. Text that is no int64 cannot name anything, so it is answered like an id
 * nobody has, with `notFound`. It is no pipe, as Nest awaits every pipe.
 */
export function PathId(name: string, notFound: new () => Error): ParameterDecorator {
  return readId({ name, notFound });
}
