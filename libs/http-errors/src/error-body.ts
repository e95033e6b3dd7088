/**
 * The Error object as JSON text, for answers that never reach Nest: those a `clientError` listener writes on the socket.
 *
 * @param status the HTTP status code the answer carries
 * @example
 * ```ts
 * server.on('clientError', (_error, socket) => {
 *   const body = errorBody('bad_request', 'The request is malformed.', 400);
 *   socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
 * });
 * ```
 */
export function errorBody(code: string, message: string, status: number): string {
  return JSON.stringify({ code, message, status });
}
