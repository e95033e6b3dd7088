import { StoreError } from './store.error.js';

/** Whether a response only says where else to look. A browser hides its status, as 0. */
export function isRedirect({ status, type, redirected: wasFollowed }: Response): boolean {
  return wasFollowed || type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
}

/** The error of a redirect. The client follows none, so the key and the body are sent to the service only. */
export function redirected(subject: string, { status, headers, url }: Response): StoreError {
  // Where a followed one has led to; a browser hides the status and the place of others.
  const target = headers.get('Location') ?? (status && url);
  const message = `${subject} was redirected${target ? ` to ${target}` : ''}. Set baseUrl to the address of the service.`;
  return new StoreError(status, 'redirected', message, headers.get('X-Request-Id'));
}
