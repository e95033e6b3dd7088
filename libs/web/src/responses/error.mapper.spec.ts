import { httpErrorFrom } from '@animal-store/http-errors';
import { DomainError, StorageUnavailable } from '@animal-store/kernel';

class OrderChanged extends DomainError {
  constructor(kind: DomainError['kind']) {
    super('order_changed', kind, 'Order 1 has changed.');
  }
}

describe('A domain error', () => {
  it.each([
    ['invalid', 400],
    ['forbidden', 403],
    ['not-found', 404],
    ['conflict', 409],
    ['precondition-failed', 412],
    ['unprocessable', 422],
    ['precondition-required', 428],
    ['unavailable', 503],
  ] as const)('of the kind %s has status %i, with its own code and message', (kind, status) => {
    expect(httpErrorFrom(new OrderChanged(kind))).toEqual({
      status,
      code: 'order_changed',
      message: 'Order 1 has changed.',
    });
  });
});

it('The response to storage that is unavailable has the Retry-After of the error', () => {
  const error = new StorageUnavailable('2000 requests wait.', { retryAfterSeconds: 2 });
  expect(httpErrorFrom(error)).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
});
