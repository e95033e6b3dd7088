import { type Burst, limitProblems, overLimit } from './check.js';

const DISTURBED = { startedMs: 1_000, endedMs: 2_000, node: 'a' };
const rules = { perMinute: 20, replicas: 3, disturbances: [DISTURBED] };

function burst(node: string, invokedMs: number, allowed: number): Burst {
  const statuses = [...Array<number>(allowed).fill(200), ...Array<number>(200 - allowed).fill(429)];
  return { invokedMs, returnedMs: invokedMs + 100, node, statuses };
}

describe('The limit of an account', () => {
  it.each([
    ['exactly, undisturbed', burst('a', 0, 20), []],
    ['exceeded by one, undisturbed', burst('a', 0, 21), [/got 21 responses: at most 20 are right/]],
    ['short by one, undisturbed', burst('a', 2_500, 19), [/got only 19 of 20/]],
    ['exceeded while another node is lost', burst('b', 1_500, 21), [/of node "b" got 21/]],
    ['once more from each replica while its node is lost', burst('a', 950, 100), []],
    ['none while its node is lost', burst('a', 1_500, 101), [/at most 100 are right/]],
    ['refused altogether while its node is lost', burst('a', 1_500, 0), [/got only 0/]],
    ['with a failure', { ...burst('a', 0, 20), statuses: [503] }, [/got 503/]],
  ])('%s', (_, given, expected) => {
    expect(limitProblems(given, rules)).toEqual(
      expected.map((text) => expect.stringMatching(text) as string),
    );
  });

  it('is summed up by how much it was exceeded', () => {
    expect(overLimit([burst('a', 0, 20), burst('a', 1_500, 25), burst('a', 1_700, 33)], rules)).toBe(
      '3 bursts, 2 of them while their node was lost: 18 of 400 requests over the limit of 20, at most 13 of one account',
    );
  });
});
