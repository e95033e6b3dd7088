import { anApiKey, plans } from '../../../access/testing/api-key.builder.js';
import { keyResponse } from './key.response.js';
import { keyTable } from './key-text.js';

const NOON_MS = Date.UTC(2026, 2, 14, 12);
const enterprise = plans.of('enterprise', { perMinute: 1_000_000_000, perDay: 1_000_000_000 });
const usage = {
  minute: null,
  day: { used: 1_000_000_000, resetsAtMs: 0 },
  ban: { sinceMs: 0, untilMs: NOON_MS },
};

function key(name: string, account = 'zoo') {
  return anApiKey({ id: 'key_0123456789abcdef', name, account, plan: enterprise, expiresAtMs: NOON_MS });
}

/** The columns that a terminal needs, where a wide character takes two. */
function columns(line: string): number {
  return [...line].reduce((sum, character) => sum + (/[\u4e00-\u9fff]/.test(character) ? 2 : 1), 0);
}

describe('a table of keys', () => {
  it.each([
    ['without usage', null],
    ['with usage', usage],
  ])('is at most 100 columns wide %s, whatever the names are', (_, read) => {
    const long = [key('a'.repeat(100), 'b'.repeat(100)), key('動物園'.repeat(33)), key('x')];
    const lines = keyTable(long.map((listed) => keyResponse(listed, NOON_MS, read))).split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(100);
    expect(lines[1]).toContain('…');
    expect(lines[3]).not.toContain('…');
    // The columns after the name begin at the same place in every line.
    expect(new Set(lines.map((line) => columns(line.slice(0, line.search(/STATUS|expired/))))).size).toBe(1);
  });

  it('shows the day of the last use when requested, and is no wider for it', () => {
    const used = anApiKey({ ...key('a'.repeat(100)), lastUsedDay: 20_526 });
    const keys = [keyResponse(used, 0), keyResponse(key('b'.repeat(100)), 0)];
    const [title, ...rows] = keyTable(keys, { unusedForMs: 1 }).split('\n');
    expect(title).toMatch(/EXPIRES {5}LAST USED {3}STATUS$/);
    expect(rows[0]).toMatch(/2026-03-14 {2}2026-03-14 {2}active$/);
    expect(rows[1]).toMatch(/2026-03-14 {2}never {7}active$/);
    expect(columns(rows[0]!)).toBe(100);
  });
});
