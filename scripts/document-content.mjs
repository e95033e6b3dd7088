/**
 * How the OpenAPI document describes the body of a request or a response. The client, the fuzz tests and the tests of
 * every response know these kinds, so another kind of body begins here.
 *
 * @param content that of a `requestBody` or a response
 * @param place its name in errors
 * @returns undefined without a body
 */
export function contentOf(content, place) {
  if (content === undefined) return undefined;
  const types = Object.keys(content);
  const schemas = Object.values(content).map(({ schema }) => schema);
  if (String(types) === 'application/json' && schemas[0]) return { kind: 'json', schema: schemas[0] };
  if (types.length > 0 && schemas.every((schema) => schema?.format === 'binary'))
    return { kind: 'bytes', types, maxBytes: schemas[0].maxLength };
  if (String(types) === 'text/event-stream' && schemas[0]) return { kind: 'events', schema: schemas[0] };
  throw new Error(
    `${place}: the client and the tests know bodies of JSON, bytes or events, not ${types.join(', ') || 'one of no type'}.`,
  );
}
