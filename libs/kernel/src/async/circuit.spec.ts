import { Circuit } from './circuit.js';
import { StorageUnavailable } from '../storage-unavailable.js';

describe('Circuit', () => {
  const probe = jest.fn<Promise<void>, []>();
  const gone = new Error('connect ECONNREFUSED');
  let circuit: Circuit;
  let said: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    probe.mockReset().mockResolvedValue();
    said = [];
    circuit = new Circuit({
      probe,
      onOpen: (cause) => said.push(`open: ${(cause as Error).message}`),
      onClose: () => said.push('closed'),
    });
  });

  afterEach(() => {
    circuit.stop();
    jest.useRealTimers();
  });

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  async function open(): Promise<void> {
    probe.mockRejectedValue(gone);
    void circuit.suspect();
    await pass(0);
    expect(() => circuit.requireClosed()).toThrow(StorageUnavailable);
  }

  it('stays closed after a failure when the server responds to the probe', async () => {
    void circuit.suspect();
    await pass(0);

    expect(probe).toHaveBeenCalledTimes(1);
    expect(() => circuit.requireClosed()).not.toThrow();
  });

  it('opens when the probe fails too, with its reason, and refuses at once', async () => {
    await open();

    let refusal: unknown;
    try {
      circuit.requireClosed();
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ cause: gone, retryAfterSeconds: 5 });
  });

  it('probes four times a second while it is open, and closes with the first success', async () => {
    await open();
    await pass(750);
    expect(probe).toHaveBeenCalledTimes(4);

    probe.mockResolvedValue();
    await pass(250);
    expect(() => circuit.requireClosed()).not.toThrow();
    await pass(10_000);
    expect(probe).toHaveBeenCalledTimes(5);
  });

  it('probes one at a time, however many requests fail and however long it takes', async () => {
    let respond = () => {};
    probe.mockReturnValue(new Promise((resolve) => (respond = resolve)));
    for (let failed = 0; failed < 100; failed++) void circuit.suspect();
    await pass(60_000);
    void circuit.suspect();
    expect(probe).toHaveBeenCalledTimes(1);
    respond();
  });

  it('does not probe for every request that fails on a server that responds', async () => {
    for (let failed = 0; failed < 100; failed++) {
      void circuit.suspect();
      await pass(10);
    }
    expect(probe).toHaveBeenCalledTimes(4);
  });

  it('opens at once by `open`, and probes after a delay', async () => {
    circuit.open(gone);
    expect(() => circuit.requireClosed()).toThrow(StorageUnavailable);
    await pass(249);
    expect(probe).not.toHaveBeenCalled();
    await pass(1);
    expect(circuit.isOpen).toBe(false);
    expect(said).toEqual(['open: connect ECONNREFUSED', 'closed']);
  });

  it('opens and closes with the outcome of a check from outside', async () => {
    probe.mockRejectedValueOnce(gone);
    await expect(circuit.check()).rejects.toBe(gone);
    expect(() => circuit.requireClosed()).toThrow(StorageUnavailable);

    await circuit.check();
    expect(() => circuit.requireClosed()).not.toThrow();
  });

  it('says nothing once it is stopped', async () => {
    circuit.stop();
    circuit.open(gone);
    await pass(1_000);
    expect(said).toEqual([]);
    expect(probe).not.toHaveBeenCalled();
  });
});
