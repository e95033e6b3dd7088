import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** The longest wait, with a margin for a busy machine. A wait ends as soon as its condition is met. */
export const PATIENCE_MS = 20_000;

/** A developer needs no browser. In CI a missing browser must fail the tests. */
export const hasChromium = existsSync(CHROMIUM) || process.env['CI'] !== undefined;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
