import { loadSettings } from '../settings/settings.js';
import { listenProblem } from './listen-problem.js';

const settings = loadSettings({});

// A port that is in use is in the suite of the start.
describe('listenProblem', () => {
  it('has the words of the system for any other problem with the address', () => {
    const refused = { syscall: 'listen', code: 'EACCES', port: 3000 };
    const error = Object.assign(new Error('listen EACCES: 127.0.0.1:3000'), refused);
    expect(listenProblem(error, settings)).toBe(
      'The server cannot listen on the address set by PORT, HOST, METRICS_PORT or METRICS_HOST: listen EACCES: 127.0.0.1:3000.',
    );
  });

  it('has nothing to say about other errors', () => {
    expect(listenProblem(new Error('out of memory'), settings)).toBeNull();
  });
});
