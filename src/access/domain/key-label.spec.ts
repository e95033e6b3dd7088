import { keyLabelProblem } from './key-label.js';

describe('a label', () => {
  it.each(['a', 'Anna’s shop', '  in blanks  ', '日本語', '🦜'.repeat(100)])('can be %j', (text) => {
    expect(keyLabelProblem(text)).toBeNull();
  });

  it.each(['', '   ', 'a\nb', '\u001b[31mred', 'a\u0000', '\ud800', 'x'.repeat(101)])(
    'cannot be %j',
    (text) => {
      expect(keyLabelProblem(text)).toBe('must have 1 to 100 characters, none of them a control character');
    },
  );
});
