import { PassThrough, Readable } from 'node:stream';
import { StandardTerminal } from './terminal.js';

/** What a person or a script types, and what is shown to them. */
function standard(input: { isTTY?: boolean } = {}) {
  const typed = Object.assign(new PassThrough(), input, { setRawMode: () => typed });
  const shown = Object.assign(new PassThrough({ encoding: 'utf8' }), input);
  return { typed, shown, terminal: new StandardTerminal(typed, shown, shown) };
}

describe('StandardTerminal', () => {
  it('reads all that a script passes', async () => {
    const { typed, terminal } = standard();
    typed.end('ask_live_x\n');
    expect(await terminal.readSecret('?')).toBe('ask_live_x\n');
  });

  it('reads little more than a key needs of an endless input', async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield 'x'.repeat(100);
      })(),
    );
    const terminal = new StandardTerminal(endless, {}, new PassThrough());
    expect((await terminal.readSecret('?'))!.length).toBe(1_100);
  });

  it('asks a person for a secret and does not show it', async () => {
    const { typed, shown, terminal } = standard({ isTTY: true });
    const secret = terminal.readSecret('The text: ');
    typed.write('ask_live_x\r');
    expect(await secret).toBe('ask_live_x');
    expect(shown.read()).toBe('The text: \n');
  });

  it('has no secret when the person gives up', async () => {
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
  ])('takes %j for %s', async (answer, agreed) => {
    const { typed, shown, terminal } = standard({ isTTY: true });
    const confirmed = terminal.confirm('Sure? ');
    typed.write(`${answer}\n`);
    expect(await confirmed).toBe(agreed);
    expect(shown.read()).toContain('Sure? ');
  });

  it('takes the end of the input for no', async () => {
    const { typed, terminal } = standard({ isTTY: true });
    const confirmed = terminal.confirm('Sure? ');
    typed.end();
    expect(await confirmed).toBe(false);
  });

  it('is interactive only when a person sits at both ends', () => {
    expect(standard({ isTTY: true }).terminal.isInteractive).toBe(true);
    expect(standard().terminal.isInteractive).toBe(false);
    expect(standard().terminal.showsOutput).toBe(false);
  });
});
