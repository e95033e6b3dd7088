import { EventEmitter } from 'node:events';
import { converse } from './questions.js';

/** An end of a channel, and everything it has sent. */
class End extends EventEmitter {
  readonly sent: object[] = [];
  other: End | null = null;

  send(message: object): void {
    this.sent.push(message);
    queueMicrotask(() => this.other?.emit('message', message));
  }
}

describe('converse', () => {
  const LIMIT_MS = 30;
  let here: End;
  let there: End;

  beforeEach(() => {
    [here, there] = [new End(), new End()];
    [here.other, there.other] = [there, here];
  });

  it('brings the answer of the other process', async () => {
    converse(there, { animals: () => Promise.resolve(['Rex']) }, LIMIT_MS);
    expect(await converse(here, {}, LIMIT_MS)('animals')).toEqual(['Rex']);
  });

  it('asks once while the answer is on its way, and again afterwards', async () => {
    converse(there, { animals: () => Promise.resolve(2) }, LIMIT_MS);
    const ask = converse(here, {}, LIMIT_MS);
    expect(await Promise.all([ask('animals'), ask('animals')])).toEqual([2, 2]);
    expect(here.sent).toHaveLength(1);
    await ask('animals');
    expect(here.sent).toHaveLength(2);
  });

  it.each([
    ['cannot answer', { animals: () => Promise.reject(new Error('No database.')) }],
    ['does not know the question', {}],
  ])('is null when the other process %s', async (_, answers) => {
    converse(there, answers, LIMIT_MS);
    expect(await converse(here, {}, LIMIT_MS)('animals')).toBeNull();
  });

  it('is null when the other process takes too long', async () => {
    expect(await converse(here, {}, LIMIT_MS)('animals')).toBeNull();
  });

  it('is null at once when the other process ends', async () => {
    const answer = converse(here, {}, 60_000)('animals');
    here.emit('disconnect');
    expect(await answer).toBeNull();
  });
});
