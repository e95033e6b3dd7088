import { FindKey } from '../access/application/find-key.use-case.js';
import { ApiKeyNotFound } from '../access/domain/api-key.errors.js';
import { KEY_COLUMNS } from './output/key-text.js';
import { keyResponse, type KeyResponse } from './output/key.response.js';
import { textTable } from './output/text-table.js';

const TIMEOUT_MS = 5_000;
/** A sample in the text format of Prometheus, and each of its labels. */
const SAMPLE = /^animal_store_deprecated_calls_total\{(.*)\} (\S+)/gm;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** A caller of a deprecated operation. */
export interface DeprecatedCaller {
  readonly operation: string;
  /** `none` for calls without a valid key, `other` for those of the keys that are counted together. */
  readonly keyId: string;
  readonly calls: number;
  /** Null when `keyId` is none of this database. */
  readonly key: KeyResponse | null;
}

/**
 * Who has called deprecated operations since the servers started, by their metrics; the one who called most comes first.
 * @throws Error with one line when the metrics of a server cannot be read.
 */
export async function deprecatedCallers(
  urls: readonly string[],
  findKey: FindKey,
  nowMs: number,
): Promise<DeprecatedCaller[]> {
  const totals = new Map<string, number>();
  for (const text of await Promise.all(urls.map(readMetrics))) {
    for (const [, labels, calls] of text.matchAll(SAMPLE)) {
      const values = [...labels!.matchAll(LABEL)].map(([, name, value]) => [name, value]);
      const { operation, key_id: keyId } = Object.fromEntries(values) as Record<string, string>;
      const caller = `${operation} ${keyId}`;
      totals.set(caller, (totals.get(caller) ?? 0) + Number(calls));
    }
  }
  const callers: DeprecatedCaller[] = [];
  for (const [caller, calls] of [...totals].sort(([, a], [, b]) => b - a)) {
    const [operation, keyId] = caller.split(' ') as [string, string];
    callers.push({ operation, keyId, calls, key: await keyOf(keyId, findKey, nowMs) });
  }
  return callers;
}

export function deprecatedCallersText(callers: readonly DeprecatedCaller[]): string {
  if (callers.length === 0) return 'Nobody has called a deprecated operation since the servers started.';
  const columns = [
    { title: 'OPERATION', of: ({ operation }: DeprecatedCaller) => operation },
    { title: 'CALLS', of: ({ calls }: DeprecatedCaller) => String(calls) },
    { title: 'ID', of: ({ keyId }: DeprecatedCaller) => keyId },
    ...KEY_COLUMNS,
  ];
  return textTable(columns, callers);
}

async function readMetrics(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`the response is ${response.status}`);
    return await response.text();
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(
      `The metrics at ${url} cannot be read: ${(cause as Error | undefined)?.message ?? message}.`,
    );
  }
}

async function keyOf(id: string, findKey: FindKey, nowMs: number): Promise<KeyResponse | null> {
  try {
    return keyResponse(await findKey.execute({ id }), nowMs);
  } catch (error) {
    if (error instanceof ApiKeyNotFound) return null;
    throw error;
  }
}
