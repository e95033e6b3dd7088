import fc from 'fast-check';
import { contradiction, type State, type Step } from './linearization.js';

/** A register of one number. */
class Register implements State {
  readonly key: string;

  constructor(readonly value: number) {
    this.key = String(value);
  }
}

interface RegisterStep extends Step<Register> {
  readonly text: string;
}

function write(value: number, invokedMs: number, returnedMs: number): RegisterStep {
  return {
    invokedMs,
    returnedMs,
    isRead: false,
    text: `write ${value}`,
    apply: () => new Register(value),
  };
}

/** Sets `next`, but only where the value is `expected`. */
function change(expected: number, next: number, invokedMs: number, returnedMs: number): RegisterStep {
  const apply = ({ value }: Register) => (value === expected ? new Register(next) : null);
  return { invokedMs, returnedMs, isRead: false, text: `change ${expected} to ${next}`, apply };
}

function read(value: number, invokedMs: number, returnedMs: number): RegisterStep {
  const apply = (state: Register) => (state.value === value ? state : null);
  return { invokedMs, returnedMs, isRead: true, text: `read ${value}`, apply };
}

function textsOf(steps: readonly RegisterStep[]): string[] | null {
  return contradiction(new Register(0), steps)?.map(({ text }) => text) ?? null;
}

/** Whether some order of the steps, without some of those that need no effect, explains all of them. */
function isExplicable(state: Register, left: readonly RegisterStep[]): boolean {
  if (left.every(({ returnedMs }) => returnedMs === Infinity)) return true;
  return left.some((step) => {
    const others = left.filter((other) => other !== step);
    if (others.some(({ returnedMs }) => returnedMs < step.invokedMs)) return false;
    const next = step.apply(state);
    return next !== null && isExplicable(next, others);
  });
}

describe('contradiction', () => {
  it('finds none in a read during a write, whether it has the old value or the new one', () => {
    expect(textsOf([write(1, 0, 10), read(0, 1, 2), read(1, 3, 4)])).toBeNull();
  });

  it('finds a read that goes back before an earlier one', () => {
    expect(textsOf([write(1, 0, 10), read(1, 1, 2), read(0, 3, 4)])).toEqual(['write 1', 'read 1', 'read 0']);
  });

  it('finds a write that is lost, and leaves out the reads that do not matter', () => {
    const steps = [read(0, 0, 1), write(1, 2, 3), read(1, 4, 5), read(0, 6, 7), read(1, 8, 9)];
    expect(textsOf(steps)).toEqual(['write 1', 'read 0']);
  });

  it('finds two changes of which only one can have succeeded', () => {
    expect(textsOf([change(0, 1, 0, 10), change(0, 2, 0, 10)])).toEqual(['change 0 to 1', 'change 0 to 2']);
  });

  it('lets a write with an unknown outcome take effect late, or never', () => {
    expect(textsOf([write(1, 0, Infinity), read(0, 5, 6), read(1, 7, 8)])).toBeNull();
    expect(textsOf([write(1, 0, Infinity), read(0, 5, 6)])).toBeNull();
  });

  it('does not let it take effect before it was sent, or twice', () => {
    expect(textsOf([read(1, 0, 1), write(1, 2, Infinity)])).toEqual(['read 1']);
    const steps = [write(1, 0, Infinity), read(1, 1, 2), write(2, 3, 4), read(2, 5, 6), read(1, 7, 8)];
    expect(textsOf(steps)).not.toBeNull();
  });

  it('agrees with trying every order', () => {
    const value = fc.integer({ min: 0, max: 2 });
    const step = fc
      .tuple(fc.constantFrom('read', 'write', 'change'), value, value, fc.nat(8), fc.option(fc.nat(6)))
      .map(([kind, one, other, invokedMs, lengthMs]) => {
        const returnedMs = lengthMs === null ? Infinity : invokedMs + lengthMs;
        if (kind === 'read') return read(one, invokedMs, invokedMs + (lengthMs ?? 1));
        return kind === 'write'
          ? write(one, invokedMs, returnedMs)
          : change(one, other, invokedMs, returnedMs);
      });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        expect(contradiction(new Register(0), steps) === null).toBe(isExplicable(new Register(0), steps));
      }),
      { numRuns: 1_000 },
    );
  });
});
