import fc from 'fast-check';
import { AnimalState } from './animal-state.js';
import { anomalies } from './check.js';
import type {
  Animal,
  AnimalStatus,
  Burst,
  CountsLost,
  History,
  Operation,
  Order,
  OrderStatus,
} from '../cluster/history.js';

const ACCOUNT = 'Ann';

/** The time of a request and that of its response. Later operations of a test begin after earlier ones have ended. */
type Span = readonly [invokedMs: number, returnedMs: number];

function timed([invokedMs, returnedMs]: Span) {
  return { invokedMs, returnedMs, by: 'Ann of replica 1' };
}

function added(
  span: Span,
  name = 'Rex',
  id: number | null = 1,
  status: AnimalStatus = 'available',
): Operation {
  return { ...timed(span), kind: 'addition', name, status, id };
}

function ordered(span: Span, orderId: number | null, account = ACCOUNT): Operation {
  return { ...timed(span), kind: 'placement', account, petId: 1, orderId };
}

function ended(span: Span, kind: 'completion' | 'cancellation', orderId = 7): Operation {
  return { ...timed(span), kind, account: ACCOUNT, orderId };
}

/** A list of all animals. */
function listed(span: Span, ...animals: [id: number, name: string, status: AnimalStatus][]): Operation {
  const items = animals.map(([id, name, status]): Animal => ({ id, name, status }));
  return { ...timed(span), kind: 'animals', status: null, after: 0, upTo: Infinity, animals: items };
}

function orders(span: Span, ...items: [id: number, status: OrderStatus][]): Operation {
  const found = items.map(([id, status]): Order => ({ id, petId: 1, status }));
  return {
    ...timed(span),
    kind: 'orders',
    account: ACCOUNT,
    status: null,
    after: 0,
    upTo: Infinity,
    orders: found,
  };
}

function history(...operations: Operation[]): History {
  return { operations, bursts: [], countsLost: [] };
}

function found(...operations: Operation[]): string[] {
  return anomalies(history(...operations));
}

const NEVER = Infinity;

describe('The check of a history', () => {
  it('finds nothing in an order from its beginning to its end', () => {
    expect(
      found(
        added([0, 1]),
        listed([2, 3], [1, 'Rex', 'available']),
        ordered([4, 5], 7),
        listed([6, 7], [1, 'Rex', 'pending']),
        orders([8, 9], [7, 'placed']),
        ended([10, 11], 'cancellation'),
        listed([12, 13], [1, 'Rex', 'available']),
        ordered([14, 15], 8),
        ended([16, 17], 'completion', 8),
        listed([18, 19], [1, 'Rex', 'sold']),
        orders([20, 21], [7, 'cancelled'], [8, 'completed']),
      ),
    ).toEqual([]);
  });

  it('finds an acknowledged addition that is missing in a later list', () => {
    expect(found(added([0, 1]), listed([0.5, 2]), listed([3, 4]))).toEqual([
      'Nothing explains these responses about animal 1 (Rex):\n' +
        '    0.00 to 1.00 ms, Ann of replica 1: is added as available\n' +
        '    3.00 to 4.00 ms, Ann of replica 1: is not there',
    ]);
  });

  it('finds a list that is older than a response before it', () => {
    expect(found(added([0, 1]), ordered([2, 3], 7), listed([4, 5], [1, 'Rex', 'available']))).toHaveLength(1);
  });

  it('finds a list that goes back before another one, though the write is still running', () => {
    const seen = listed([2, 3], [1, 'Rex', 'available']);
    expect(found(added([0, NEVER], 'Rex', null), seen, listed([4, 5]))).toHaveLength(1);
    expect(found(added([0, NEVER], 'Rex', null), listed([1, 2]), seen)).toEqual([]);
  });

  it('finds two orders for one animal, both acknowledged or one of them unknown', () => {
    expect(found(added([0, 1]), ordered([2, 9], 7), ordered([2, 9], 8, 'Bob'))).toHaveLength(1);
    expect(
      found(
        added([0, 1]),
        ordered([2, 9], 7, 'Bob'),
        ordered([2, NEVER], null),
        orders([10, 11], [8, 'placed']),
      ),
    ).toHaveLength(1);
  });

  it('finds an order whose animal is not pending, and a pending animal without its order', () => {
    const unknown = [added([0, 1]), ordered([2, NEVER], null)];
    const isPlaced = orders([3, 4], [7, 'placed']);
    const isPending = listed([5, 6], [1, 'Rex', 'pending']);
    expect(found(...unknown, isPlaced, isPending)).toEqual([]);
    expect(found(...unknown, isPlaced, listed([5, 6], [1, 'Rex', 'available']))).toHaveLength(1);
    expect(found(...unknown, isPending, orders([7, 8]))).toHaveLength(1);
  });

  it('finds a refusal of an order for an animal that was available all the time', () => {
    const refused: Operation = { ...timed([2, 3]), kind: 'refused placement', petId: 1 };
    expect(found(added([0, 1]), refused)).toHaveLength(1);
    expect(found(added([0, 1]), ordered([1.5, NEVER], 7), refused)).toEqual([]);
  });

  it('finds an order that is refused an end though it is open, and one that ends twice', () => {
    const open = [added([0, 1]), ordered([2, 3], 7)];
    const refused: Operation = { ...timed([6, 7]), kind: 'refused ending', account: ACCOUNT, orderId: 7 };
    expect(found(...open, refused)).toHaveLength(1);
    expect(found(...open, ended([4, 5], 'completion'), refused)).toEqual([]);
    expect(found(...open, ended([4, 5], 'completion'), ended([6, 7], 'cancellation'))).toHaveLength(1);
  });

  it('finds an animal that is there twice, has another name, or was added by nobody', () => {
    expect(found(added([0, 1]), listed([2, 3], [1, 'Rex', 'available'], [2, 'Rex', 'available']))).toEqual([
      'Rex is there twice, as 1 and 2.',
    ]);
    expect(found(added([0, 1]), listed([2, 3], [1, 'Mia', 'available']))).toEqual([
      'Animal 1 is Rex and Mia.',
    ]);
    expect(found(listed([2, 3], [1, 'Rex', 'available']))).toEqual(['Nobody added animal 1 (Rex).']);
  });

  it('finds an order that is there twice, or that nobody placed', () => {
    const both = orders([3, 4], [7, 'placed'], [8, 'placed']);
    expect(found(added([0, 1]), ordered([2, NEVER], null), both)).toEqual([
      'Order 8 of Ann for animal 1 is not, or twice, placed.',
    ]);
    expect(found(added([0, 1]), orders([3, 4], [7, 'placed']))).toEqual([
      'Order 7 of Ann for animal 1 is not, or twice, placed.',
    ]);
  });

  it('finds a list out of order, and one with a status that was not requested', () => {
    const animals = [added([0, 1]), added([0, 1], 'Mia', 2)];
    const turned = listed([2, 3], [2, 'Mia', 'available'], [1, 'Rex', 'available']);
    expect(found(...animals, turned)).toHaveLength(1);
    const sold = { ...listed([2, 3], [1, 'Rex', 'available']), status: 'sold' } as Operation;
    expect(found(added([0, 1]), sold).length).toBeGreaterThan(0);
  });

  it('finds an animal that a filtered list, or a page, leaves out', () => {
    const animals = [added([0, 1]), added([0, 1], 'Mia', 2)];
    const page = listed([2, 3], [2, 'Mia', 'available']);
    expect(found(...animals, { ...page, after: 1 } as Operation)).toEqual([]);
    expect(found(...animals, page)).toHaveLength(1);
    const available = { ...page, status: 'available' } as Operation;
    expect(found(...animals, available)).toHaveLength(1);
    expect(found(...animals, ordered([1.5, NEVER], 7), available)).toEqual([]);
  });

  describe('of the limits', () => {
    function ofBurst(allowed: number, refused: number, countsLost: CountsLost[] = []): string[] {
      const statuses = [...Array<number>(allowed).fill(200), ...Array<number>(refused).fill(429)];
      const burst: Burst = { invokedMs: 10, returnedMs: 20, perMinute: 5, statuses };
      return anomalies({ operations: [], bursts: [burst], countsLost });
    }

    it('finds an account that gets more than its limit, or less', () => {
      expect(ofBurst(5, 3)).toEqual([]);
      expect(ofBurst(6, 2)).toEqual(['Between 10.00 and 20.00 ms an account got 6 responses of 5 a minute.']);
      expect(ofBurst(4, 4)).toEqual([
        'Between 10.00 and 20.00 ms an account was refused after 4 of 5 requests.',
      ]);
    });

    it('allows more while the counts are lost, and not before or after', () => {
      expect(ofBurst(6, 2, [{ startedMs: 15, endedMs: 30 }])).toEqual([]);
      expect(ofBurst(6, 2, [{ startedMs: 21, endedMs: 30 }])).toHaveLength(1);
      expect(ofBurst(6, 2, [{ startedMs: 0, endedMs: 9 }])).toHaveLength(1);
    });
  });

  it('finds nothing in what clients see of a store that does one thing after another', () => {
    const deed = fc.record({
      what: fc.constantFrom('add', 'order', 'complete', 'cancel', 'list', 'orders'),
      beforeMs: fc.nat(30),
      afterMs: fc.nat(30),
      isLost: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 25 }), (deeds) => {
        let state = AnimalState.ABSENT;
        let placed = 0;
        const operations = deeds.flatMap(({ what, beforeMs, afterMs, isLost }, index): Operation[] => {
          const atMs = 10 * index;
          const span: Span = [atMs - beforeMs, atMs + afterMs];
          const spanOfWrite: Span = isLost ? [atMs - beforeMs, NEVER] : span;
          if (what === 'list') return [state.status ? listed(span, [1, 'Rex', state.status]) : listed(span)];
          if (what === 'orders') {
            const all = Array.from({ length: placed }, (_, number) => number + 1);
            return [orders(span, ...all.map((id): [number, OrderStatus] => [id, state.statusOf(id)!]))];
          }
          const next =
            what === 'add'
              ? state.add('available')
              : what === 'order'
                ? state.place(placed + 1)
                : what === 'complete'
                  ? state.complete(placed)
                  : state.cancel(placed);
          if (!next) return [];
          state = next;
          if (what === 'add') return [added(spanOfWrite, 'Rex', isLost ? null : 1)];
          // A placement without a response is for another history: the account would not order again.
          if (what === 'order') return [ordered(span, ++placed)];
          return [ended(spanOfWrite, what === 'complete' ? 'completion' : 'cancellation', placed)];
        });
        expect(anomalies(history(...operations))).toEqual([]);
      }),
    );
  });
});
