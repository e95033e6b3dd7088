import { loadSettings } from '../settings/settings.js';
import { listenProblem } from './listen-problem.js';

const settings = loadSettings({ METRICS_PORT: '9464' });

function listenError(code: string, port: number): Error {
  return Object.assign(new Error(`listen ${code}: 127.0.0.1:${port}`), { syscall: 'listen', code, port });
}

describe('listenProblem', () => {
  it.each([
    [3000, 'PORT', 3001],
    [9464, 'METRICS_PORT', 9465],
  ])('says that port %i is in use, and how to take another', (port, setting, other) => {
    expect(listenProblem(listenError('EADDRINUSE', port), settings)).toBe(
      `Port ${port} on 127.0.0.1 is in use by another process. Stop it, or set ${setting} to another one, such as ${other}.`,
    );
  });

  it('has the words of the system for any other problem with the address', () => {
    expect(listenProblem(listenError('EACCES', 3000), settings)).toBe(
      'The server cannot listen on the address set by PORT, HOST, METRICS_PORT or METRICS_HOST: listen EACCES: 127.0.0.1:3000.',
    );
  });

  it('has nothing to say about other errors', () => {
    expect(listenProblem(new Error('out of memory'), settings)).toBeNull();
  });
});
