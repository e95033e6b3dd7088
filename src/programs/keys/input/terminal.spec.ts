import { PassThrough, Readable } from 'node:stream';
import { StandardTerminal } from './terminal.js';

/** A terminal, the input that a person or a script types, and the output. */
function standard(input: { isTTY?: boolean } = {}) {
  const typed = Object.assign(new PassThrough(), input, { setRawMode: () => typed });
  const shown = Object.assign(new PassThrough({ encoding: 'utf8' }), input);
  return { typed, shown, terminal: new StandardTerminal(typed, shown) };
}

describe('StandardTerminal', () => {
  it('reads all input of a script', async () => {
    const { typed, terminal } = standard();
    typed.end('ask_live_x\n');
    expect(await terminal.readSecret('?')).toBe('ask_live_x\n');
  });

  it('stops reading an endless input soon after the length of a key', async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield 'x'.repeat(100);
      })(),
    );
    const terminal = new StandardTerminal(endless, new PassThrough());
    expect((await terminal.readSecret('?'))!.length).toBe(1_100);
  });

  it('prompts a person for a secret and does not show it', async () => {
    const { typed, shown, terminal } = standard({ isTTY: true });
    const secret = terminal.readSecret('The text: ');
    typed.write('ask_live_x\r');
    expect(await secret).toBe('ask_live_x');
    expect(shown.read()).toBe('The text: \n');
  });

  it('returns null for the secret when the person gives up', async () => {
    const { typed, terminal } = standard({ isTTY: true });
    const secret = terminal.readSecret('The text: ');
    typed.write('ask_live_x\u0003');
    expect(await secret).toBeNull();
  });

  it.each([
    ['y', true],
    ['Yes', true],
    ['n', false],
    ['', false],
    ['yeah, no', false],
  ])('reads %j as %s', async (answer, agreed) => {
    const { typed, shown, terminal } = standard({ isTTY: true });
    const confirmed = terminal.confirm('Sure? ');
    typed.write(`${answer}\n`);
    expect(await confirmed).toBe(agreed);
    expect(shown.read()).toContain('Sure? ');
  });

  it('reads the end of the input as no', async () => {
    const { typed, terminal } = standard({ isTTY: true });
    const confirmed = terminal.confirm('Sure? ');
    typed.end();
    expect(await confirmed).toBe(false);
  });

  it('is interactive only when both input and output are a terminal', () => {
    expect(standard({ isTTY: true }).terminal.isInteractive).toBe(true);
    expect(standard().terminal.isInteractive).toBe(false);
  });
});
