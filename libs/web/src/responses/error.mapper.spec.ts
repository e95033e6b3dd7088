import { httpErrorFrom } from '@animal-store/http-errors';
import { DomainError, StorageUnavailable } from '@animal-store/kernel';
import { describeError } from './error.mapper.js';

class OrderChanged extends DomainError {
  static readonly when = 'The order has changed.';
  static readonly fix = 'Fetch it again.';
  static readonly example = new OrderChanged();

  constructor(kind: DomainError['kind'] = 'precondition-failed') {
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

  it('is described by its class', () => {
    expect(describeError(OrderChanged)).toEqual({
      status: 412,
      code: 'order_changed',
      message: 'Order 1 has changed.',
      when: 'The order has changed.',
      fix: 'Fetch it again.',
    });
  });
});

describe('The response to storage that is unavailable', () => {
  it('sends the client a Retry-After of five seconds by default', () => {
    expect(httpErrorFrom(new StorageUnavailable(new Error('connection refused')))).toMatchObject({
      status: 503,
      code: 'service_unavailable',
      headers: { 'Retry-After': '5' },
    });
  });

  it('sends the client the Retry-After of the error', () => {
    const error = new StorageUnavailable('2000 requests wait.', { retryAfterSeconds: 2 });
    expect(httpErrorFrom(error)).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
  });
});
