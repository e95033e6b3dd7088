import { BadRequestException, createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { Request } from 'express';
import { readJsonBody } from './request-body.js';
import { declaredFields, violations } from './validation.js';

const readBody = createParamDecorator((type: Type<object>, context: ExecutionContext) =>
  readJsonBody(context.getArgByIndex<Request>(0), (body) => validBody(type, body)),
);

/**
 * The request's JSON body as a valid instance of `type`, and its place in the OpenAPI document. It is read here, after
 * all guards, so that nobody without a key can make the service parse anything.
 */
export function JsonBody(type: Type<object>): ParameterDecorator {
  return (target, method, index) => {
    readBody(type)(target, method, index);
    ApiBody({ type, required: true })(target, method!, Object.getOwnPropertyDescriptor(target, method!)!);
  };
}

/** @throws BadRequestException `validation_failed`, naming every field that breaks a rule. */
function validBody<Body extends object>(type: Type<Body>, value: unknown): Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw validationFailed(['the body must be a JSON object']);
  }
  const known = declaredFields(type);
  const body = new type();
  const unknown: string[] = [];
  for (const field of Object.keys(value)) {
    if (known.has(field)) {
      (body as Record<string, unknown>)[field] = (value as Record<string, unknown>)[field];
    } else {
      const name = JSON.stringify(field.slice(0, 64));
      unknown.push(`${name} is not a field here (known: ${[...known].join(', ')})`);
    }
  }
  const problems = violations(body).concat(unknown.slice(0, 5));
  if (problems.length > 0) throw validationFailed(problems);
  return body;
}

function validationFailed(problems: string[]): BadRequestException {
  return new BadRequestException({ code: 'validation_failed', message: `${problems.join('; ')}.` });
}
