import { JsonLogger } from './json-logger.js';
import { TerminalLog } from './terminal-log.js';

/** Local time, wherever the test runs. */
const TIME_MS = new Date(2026, 2, 14, 9, 5, 7, 42).getTime();

const REQUEST = {
  level: 'info',
  time: TIME_MS,
  requestId: 'r-42',
  keyId: 'key_anna',
  method: 'GET',
  route: '/v1/pets/:petId',
  status: 200,
  durationMs: 1.234,
};

describe('TerminalLog', () => {
  let shown: string[];

  beforeEach(() => {
    shown = [];
  });

  function log(hasColours = false): TerminalLog {
    return new TerminalLog({ write: (text) => void shown.push(text) }, hasColours);
  }

  function logger(hasColours = false): JsonLogger {
    return new JsonLogger('info', log(hasColours), () => TIME_MS);
  }

  it('shows a request as one line: local time, status, method, route, duration, key and id', () => {
    log().write(JSON.stringify(REQUEST));
    expect(shown).toEqual(['09:05:07.042 200 GET /v1/pets/:petId 1.234 ms key_anna r-42\n']);
  });

  it('shows the code of an error', () => {
    log().write(JSON.stringify({ ...REQUEST, status: 404, code: 'pet_not_found', keyId: null }));
    expect(shown).toEqual(['09:05:07.042 404 GET /v1/pets/:petId pet_not_found 1.234 ms no key r-42\n']);
  });

  it('shows what has no status or method', () => {
    log().write(JSON.stringify({ ...REQUEST, status: null, aborted: true, method: null }));
    expect(shown[0]).toContain(' aborted - /v1/pets/:petId ');
  });

  it('shows an event with its level, context and further fields', () => {
    logger().log('Listening on 127.0.0.1:3000.', 'Server');
    logger().warn({ message: 'Careful.', requestId: 'r-1' });
    expect(shown).toEqual([
      '09:05:07.042 INFO  Listening on 127.0.0.1:3000. [Server]\n',
      '09:05:07.042 WARN  Careful. requestId="r-1"\n',
    ]);
  });

  it('shows the stack of an error and of its cause below it', () => {
    const cause = Object.assign(new Error('refused'), { stack: 'Error: refused\n    at there' });
    const error = Object.assign(new Error('failed', { cause }), { stack: 'Error: failed\n    at here' });
    logger().error(error, 'Pets');
    expect(shown.join('').split('\n')).toEqual([
      '09:05:07.042 ERROR failed [Pets]',
      '    Error: failed',
      '        at here',
      '    caused by Error: refused',
      '        at there',
      '',
    ]);
  });

  it('lets no message steer the terminal', () => {
    logger().error('a\u001b[2Jb\rc\nd');
    expect(shown).toEqual(['09:05:07.042 ERROR a\\x1b[2Jb\\x0dc\\x0ad\n']);
  });

  it.each([
    [200, '\u001b[32m200'],
    [304, '\u001b[36m304'],
    [404, '\u001b[33m404'],
    [503, '\u001b[31m503'],
  ])('colours the status %i', (status, expected) => {
    log(true).write(JSON.stringify({ ...REQUEST, status }));
    expect(shown[0]).toContain(expected);
  });

  it('reports the lines that its output has dropped', () => {
    const output = { write: () => undefined, droppedLines: 3, onRecovery: jest.fn() };
    const terminal = new TerminalLog(output, false);
    const report = () => undefined;
    terminal.onRecovery(report);
    expect(terminal.droppedLines).toBe(3);
    expect(output.onRecovery).toHaveBeenCalledWith(report);
  });
});
