import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name of the service: of its metrics, its traces, its connections and its client. */
export const SERVICE = 'animal-store';

/** An API key of the service in a text, whole or in part. Its first group may be shown. */
export const KEY_IN_TEXT = /(ask_(?:live|test)_)[0-9A-Za-z]+/gi;

/** The version of the interface (contract section 9). */
export const INTERFACE_VERSION = '1.0.0';

/** The release of the service, as package.json names it. */
export const VERSION = '1.1.0';

/** The commit that was built. The build writes it beside the program, or one folder above. */
export const COMMIT = commitAt(['.', '..'].map((place) => join(import.meta.dirname, place, 'commit.txt')));

function commitAt(places: readonly string[]): string {
  const file = places.find((place) => existsSync(place));
  return file === undefined ? 'unknown' : readFileSync(file, 'utf8');
}
