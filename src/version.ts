import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyRemover } from '@animal-store/api-keys';

/** The name of the service: of its metrics, its traces, its connections and its client. */
export const SERVICE = 'animal-store';

/** What the keys of each environment begin with. */
export const KEY_PREFIXES = { production: 'ask_live_', staging: 'ask_test_' } as const;

/** A text that may be logged and shown, without any key of the service. */
export const withoutKeys = keyRemover(Object.values(KEY_PREFIXES));

/**
 * The versions that the service has: a controller of version '1' is under `/v1`, where every request needs a key.
 * Addresses of the service, such as `PUBLIC_URL`, end in the first one, and a controller that names none has it.
 */
export const VERSIONS: readonly [string, ...string[]] = ['1'];

/** The version of the interface (contract section 9). */
export const INTERFACE_VERSION = '1.0.0';

/** The release of the service, as package.json names it. */
export const VERSION = '2.1.0-dev';

/** The commit that was built. The build writes it beside the program, or one folder above. */
export const COMMIT = commitAt(['.', '..'].map((place) => join(import.meta.dirname, place, 'commit.txt')));

function commitAt(places: readonly string[]): string {
  const file = places.find((place) => existsSync(place));
  return file === undefined ? 'unknown' : readFileSync(file, 'utf8');
}
