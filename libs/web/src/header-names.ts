/** The headers of this service, as responses and the OpenAPI document spell them. Node's requests use lower case. */
export const REQUEST_ID = 'X-Request-Id';
