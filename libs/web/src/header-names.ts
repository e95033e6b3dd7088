/** The headers of this service itself, as responses and the OpenAPI document spell them. Node's requests have them in lower case. */
export const REQUEST_ID = 'X-Request-Id';
