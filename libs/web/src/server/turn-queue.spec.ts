import { TurnQueue, type Waiting } from './turn-queue.js';

it('A turn serves the others when one of them throws', async () => {
  const served: string[] = [];
  const queue = new TurnQueue<Waiting & { readonly name: string }>(({ name }) => {
    served.push(name);
    if (name === 'throws') throw new Error('on purpose');
  });
  // Jest would end with it.
  const immediate = jest.spyOn(globalThis, 'setImmediate');
  for (const name of ['first', 'throws', 'last']) queue.add({ name, isQueued: false }, true);
  const serveTurn = immediate.mock.calls[0]![0];
  clearImmediate(immediate.mock.results[0]!.value);
  immediate.mockRestore();
  expect(serveTurn).toThrow('on purpose');
  await new Promise(setImmediate);

  expect(served).toEqual(['first', 'throws', 'last']);
});
