import { keyRemover } from '@animal-store/api-keys';
import { type LogLevel, JsonLogger } from './json-logger.js';

const withoutKeys = keyRemover(['ask_live_', 'ask_test_']);

describe('JsonLogger', () => {
  let lines: string[];

  beforeEach(() => {
    lines = [];
  });

  function loggerAt(level: LogLevel): JsonLogger {
    return new JsonLogger(
      level,
      { write: (line) => void lines.push(line) },
      () => 1_764_892_800_000,
      null,
      withoutKeys,
    );
  }

  function written(): Record<string, unknown>[] {
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('writes one JSON object a line with time, level and message', () => {
    loggerAt('info').log('Listening on port 3000.');

    expect(lines).toEqual(['{"level":"info","time":1764892800000,"message":"Listening on port 3000."}\n']);
  });

  it('uses the last string as the context', () => {
    loggerAt('info').warn('Redis does not respond.', 'RateLimits');

    expect(written()).toEqual([
      { level: 'warn', time: 1_764_892_800_000, message: 'Redis does not respond.', context: 'RateLimits' },
    ]);
  });

  it('writes the type, message, code, stack and cause of an error, and nothing else', () => {
    const cause = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED', address: '10.0.0.7' });
    const error = Object.assign(new TypeError('no storage', { cause }), { parameters: ['secret'] });

    loggerAt('info').error(error, 'Pets');

    expect(written()).toEqual([
      {
        level: 'error',
        time: 1_764_892_800_000,
        message: 'no storage',
        context: 'Pets',
        error: {
          type: 'TypeError',
          message: 'no storage',
          stack: expect.stringContaining('TypeError: no storage') as string,
          cause: {
            type: 'Error',
            message: 'connect refused',
            code: 'ECONNREFUSED',
            stack: expect.stringContaining('Error: connect refused') as string,
          },
        },
      },
    ]);
  });

  it('writes fatal lines to standard error as well, without keys, and no others', () => {
    const errors: string[] = [];
    const output = { write: (line: string) => void lines.push(line) };
    const logger = new JsonLogger(
      'info',
      output,
      () => 0,
      { write: (line) => void errors.push(line) },
      withoutKeys,
    );

    logger.error('The disk is full.');
    logger.fatal(`Nobody expected ${'ask_live_'}abc.`);

    const fatal = '{"level":"fatal","time":0,"message":"Nobody expected ask_live_[redacted]."}\n';
    expect(errors).toEqual([fatal]);
    expect(lines).toEqual([expect.stringContaining('The disk is full.'), fatal]);
  });

  it('stops at a cycle of causes', () => {
    const error = new Error('round');
    error.cause = error;

    loggerAt('info').error(error);

    expect(lines[0]!.match(/"type":"Error"/g)).toHaveLength(4);
  });

  it('writes the fields of an object', () => {
    loggerAt('info').error({ requestId: 'r-1', error: new Error('no storage') }, 'Http');

    expect(written()).toEqual([
      expect.objectContaining({
        requestId: 'r-1',
        context: 'Http',
        error: expect.objectContaining({ message: 'no storage' }) as object,
      }),
    ]);
  });

  it('recognizes a stack that is passed as a string', () => {
    loggerAt('info').error('failed', 'Error: failed\n    at somewhere (file.js:1:1)', 'Pets');

    expect(written()).toEqual([
      expect.objectContaining({ context: 'Pets', stack: 'Error: failed\n    at somewhere (file.js:1:1)' }),
    ]);
  });

  it('writes further values', () => {
    loggerAt('info').log('migrated', 3, 'Database');

    expect(written()).toEqual([
      expect.objectContaining({ message: 'migrated', details: [3], context: 'Database' }),
    ]);
  });

  it('writes nothing below its level', () => {
    const logger = loggerAt('warn');
    logger.log('a');
    logger.debug('b');
    logger.verbose('c');
    logger.fatal('d');

    expect(written()).toEqual([expect.objectContaining({ level: 'fatal', message: 'd' })]);
  });

  it('writes the framework’s list of modules and routes at debug level', () => {
    loggerAt('info').log('PetsModule dependencies initialized', 'InstanceLoader');
    expect(lines).toEqual([]);

    loggerAt('debug').log('PetsModule dependencies initialized', 'InstanceLoader');
    expect(written()).toEqual([expect.objectContaining({ level: 'debug' })]);
  });
});
