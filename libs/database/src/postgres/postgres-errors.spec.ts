import { StorageUnavailable } from '@animal-store/kernel';
import { UniqueViolation } from '../driver-errors.js';
import {
  DriverFailed,
  isFinal,
  isOfConnection,
  PreparedStateLost,
  rethrowTranslated,
  rethrowUnavailable,
  translated,
} from './postgres-errors.js';

/** An error of PostgreSQL, as the driver gives it. */
function failed(code: string, more: object = {}): Error {
  return Object.assign(new Error('refused'), { severity: 'ERROR', code, ...more });
}

describe('An error of PostgreSQL', () => {
  it.each([
    '40001',
    '40P01',
    '22001',
    '23514',
    '0A000',
    '42501',
    'XX000',
    'X08',
    'X53',
    '1253',
    '57P1',
    '24000',
  ])('%s stays what it is', (code) => {
    const error = failed(code);
    expect(translated(error)).toBe(error);
    expect(isOfConnection(error)).toBe(false);
  });

  it.each(['08006', '28P01', '3D000', '57P01', '25P03', '25006'])(
    '%s says that the storage is unavailable, and its connection of no use',
    (code) => {
      const error = failed(code);
      expect(translated(error)).toEqual(new StorageUnavailable(error));
      expect(translated(error)).toMatchObject({ cause: error });
      expect(isOfConnection(translated(error))).toBe(true);
      expect(isFinal(translated(error))).toBe(true);
    },
  );

  it.each(['53100', '53200', '58030', '57014', '55P03'])(
    '%s says that the storage is unavailable, and its connection can be used',
    (code) => {
      const error = failed(code);
      expect(translated(error)).toBeInstanceOf(StorageUnavailable);
      expect(translated(error)).toMatchObject({ cause: error });
      expect(isOfConnection(translated(error))).toBe(false);
      expect(isFinal(translated(error))).toBe(true);
    },
  );

  it.each(['22001', '22003', '22007', '22008', '22P02'])(
    '%s is the fault of the caller who has sent the value',
    (code) => {
      expect(translated(failed(code))).toMatchObject({ status: 400 });
    },
  );

  it('23505 is a violation of a unique constraint', () => {
    const error = failed('23505');
    expect(translated(error)).toBeInstanceOf(UniqueViolation);
    expect(isFinal(translated(error))).toBe(false);
  });

  it.each([
    ['26000', {}],
    ['42P05', {}],
    ['0A000', { routine: 'RevalidateCachedQuery' }],
  ])('%s of a prepared statement says that it is lost', (code, more) => {
    expect(translated(failed(code, more))).toBeInstanceOf(PreparedStateLost);
  });

  it.each(['126000', '26000x', '42601'])('%s of a prepared statement says nothing of the kind', (code) => {
    expect(translated(failed(code, { routine: 'RevalidateCachedQuery' }))).toMatchObject({ code });
  });

  it('is that of the driver within that of TypeORM', () => {
    const error = failed('08006');
    expect(translated(Object.assign(new Error('query failed'), { driverError: error }))).toMatchObject({
      cause: error,
    });
    const own = failed('22001', { driverError: failed('08006') });
    expect(translated(own)).toBe(own);
  });

  it.each([40001, '40P01'])('%s ends an attempt, and leaves the connection as it is', (code) => {
    expect(isFinal(failed(String(code)))).toBe(true);
    expect(isOfConnection(failed(String(code)))).toBe(false);
  });

  it.each(['140001', '40001x', '140P01', '40P01x', '22001'])('%s does not end an attempt', (code) => {
    expect(isFinal(failed(code))).toBe(false);
  });
});

describe('An error of the driver', () => {
  it.each([undefined, null, new Error('Connection terminated'), 'text'])(
    '%p is about its connection',
    (error) => {
      expect(translated(error)).toBeInstanceOf(StorageUnavailable);
      expect(isOfConnection(translated(error))).toBe(true);
    },
  );

  it.each([new TypeError('no'), new RangeError('no'), new SyntaxError('no'), new ReferenceError('no')])(
    '%p is a fault of the program, after which its connection is of no use',
    (error) => {
      const failure = translated(error) as Error;
      expect(failure).toBeInstanceOf(DriverFailed);
      expect(failure).toMatchObject({
        name: 'DriverFailed',
        message: 'The driver of PostgreSQL failed.',
        cause: error,
      });
      expect(isOfConnection(failure)).toBe(true);
      expect(isFinal(failure)).toBe(true);
    },
  );

  it.each(['MyTypeError', 'TypeErrors', 'Error'])('called %s is about its connection', (name) => {
    expect(translated(Object.assign(new Error('no'), { name }))).toBeInstanceOf(StorageUnavailable);
  });
});

it.each([new StorageUnavailable('gone'), new DriverFailed('no')])(
  'An error of this service, %p, stays what it is',
  (error) => {
    expect(translated(error)).toBe(error);
    expect(() => rethrowTranslated(error)).toThrow(error);
  },
);

it('Whatever an attempt to connect meets, there is no connection', () => {
  const error = failed('22001');
  expect(() => rethrowUnavailable(error)).toThrow(StorageUnavailable);
  expect(() => rethrowTranslated(error)).toThrow(error);
});
