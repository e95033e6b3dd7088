import { slotOf } from './cluster-slots.js';

describe('The slot of a key in a Redis Cluster', () => {
  // What CLUSTER KEYSLOT of a Redis says.
  it.each([
    ['rl:{key-7}', 8_227],
    ['rl:{2001:db8:0:1::/64}', 6_174],
    ['rl:{Žofie}', 6_963],
    ['rl:{}', 13_848],
    ['{shop}:{key-7}', 3_808],
    ['rl:{{key-7}}', 9_757],
    ['rl:key-7', 6_006],
    ['', 0],
  ])('of %j is %i', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });
});
