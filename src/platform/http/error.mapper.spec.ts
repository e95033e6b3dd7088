import { StorageUnavailable } from '@animal-store/kernel';
import { toHttpError } from './error.mapper.js';

describe('The response to storage that is unavailable', () => {
  it('asks the client to retry in five seconds by default', () => {
    expect(toHttpError(new StorageUnavailable(new Error('connection refused')))).toMatchObject({
      status: 503,
      code: 'service_unavailable',
      headers: { 'Retry-After': '5' },
    });
  });

  it('asks the client to retry after the time in the error', () => {
    const error = new StorageUnavailable('2000 requests wait.', { retryAfterSeconds: 2 });
    expect(toHttpError(error)).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
  });
});
