import { JsonLogger } from './json-logger.js';
import { terminalLog } from './terminal-log.js';

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

describe('terminalLog', () => {
  let shown: string[];

  beforeEach(() => {
    shown = [];
  });

  function log(hasColours = false) {
    return terminalLog({ write: (text) => void shown.push(text) }, hasColours);
  }

  async function logger(): Promise<JsonLogger> {
    return new JsonLogger('info', await log(), () => TIME_MS);
  }

  it('shows a request as one line: local time, status, method, route and the rest', async () => {
    (await log()).write(JSON.stringify({ ...REQUEST, status: 404, code: 'pet_not_found' }));
    expect(shown).toEqual([
      '[09:05:07.042] INFO: 404 GET /v1/pets/:petId {"requestId":"r-42","keyId":"key_anna","durationMs":1.234,"code":"pet_not_found"}\n',
    ]);
  });

  it('shows what has no status or method', async () => {
    (await log()).write(JSON.stringify({ ...REQUEST, status: null, aborted: true, method: null }));
    expect(shown[0]).toContain('INFO: aborted - /v1/pets/:petId {');
  });

  it('shows an event with its level, context and further fields', async () => {
    const { log: info, warn } = await logger().then((to) => ({
      log: to.log.bind(to),
      warn: to.warn.bind(to),
    }));
    info('Listening on 127.0.0.1:3000.', 'Server');
    warn({ message: 'Careful.', requestId: 'r-1' });
    expect(shown).toEqual([
      '[09:05:07.042] INFO: Listening on 127.0.0.1:3000. {"context":"Server"}\n',
      '[09:05:07.042] WARN: Careful. {"requestId":"r-1"}\n',
    ]);
  });

  it('shows the stack of an error and of its cause below it', async () => {
    const cause = Object.assign(new Error('refused'), { stack: 'Error: refused\n    at there' });
    const error = Object.assign(new Error('failed', { cause }), { stack: 'Error: failed\n    at here' });
    (await logger()).error(error, 'Pets');
    const lines = shown.join('').split('\n');
    expect(lines[0]).toBe('[09:05:07.042] ERROR: failed {"context":"Pets"}');
    for (const line of ['Error: failed', 'at here', 'Error: refused', 'at there']) {
      expect(lines.filter((text) => text.includes(line))).not.toEqual([]);
    }
  });

  it('lets no message steer the terminal', async () => {
    (await logger()).error('a\u001b[2Jb\rc\u009bd');
    expect(shown).toEqual(['[09:05:07.042] ERROR: a\\x1b[2Jb\\x0dc\\x9bd\n']);
  });

  it('has colours where the terminal has them', async () => {
    (await log(true)).write(JSON.stringify(REQUEST));
    expect(shown[0]).toContain('\u001b[32mINFO\u001b[39m');
  });

  it('reports the lines that its output has dropped', async () => {
    const output = { write: () => undefined, droppedLines: 3, onRecovery: jest.fn() };
    const terminal = await terminalLog(output, false);
    const report = () => undefined;
    terminal.onRecovery?.(report);
    expect(terminal.droppedLines).toBe(3);
    expect(output.onRecovery).toHaveBeenCalledWith(report);
  });
});
