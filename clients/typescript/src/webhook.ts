import { EVENTS, type WebhookEvent } from './generated/operations.js';
import { parseExactly, parseJson } from './json/json.js';

/** The headers of a request: `Headers` of any implementation of `fetch`, or the object of Node. */
export type WebhookHeaders = HeadersLike | Readonly<Record<string, string | readonly string[] | undefined>>;

interface HeadersLike {
  get(name: string): string | null;
}

export interface VerifyOptions {
  /** How far the time of sending may be from now, in seconds. Default: 300. */
  toleranceSeconds?: number;
  now?: () => number;
}

/** The request was not sent by the service, or a long time ago. Respond with 400, and ignore it. */
export class InvalidWebhook extends Error {
  override readonly name = 'InvalidWebhook';
}

/**
 * Verifies a webhook, and parses its body. One of its signatures must be that of the secret, so this works while a
 * secret is rotated. An event may come twice: what it changes should not depend on that, or remember its `webhook-id`.
 *
 * @param body the body as it was received: parsed and written again it has another signature
 * @param secret `whsec_…`, as `createWebhook` and `rotateWebhookSecret` return it
 * @throws InvalidWebhook unless the service has sent it, within the last minutes
 * @throws TypeError when the secret is none
 */
export async function verify(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const key = await keyOf(secret);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    header(headers, name),
  ) as [string, string, string];
  const sentSeconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : NaN;
  if (!(Math.abs(now() / 1_000 - sentSeconds) <= toleranceSeconds))
    throw new InvalidWebhook('webhook-timestamp is too far from now.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? base64Bytes(signature.slice(3)) : null;
    // `verify` needs the same time, wherever the first difference is.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, content))) return eventOf(text);
  }
  throw new InvalidWebhook('No signature is right.');
}

function header(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : fieldOf(headers, name);
  // Some frameworks give a list of one.
  const single = Array.isArray(value) && value.length === 1 ? (value as readonly unknown[])[0] : value;
  if (typeof single !== 'string') throw new InvalidWebhook(`${name} is missing.`);
  return single;
}

function isHeaders(headers: WebhookHeaders): headers is HeadersLike {
  return typeof headers.get === 'function';
}

/** Names of headers have no case (RFC 9110, section 5.1); some frameworks pass on the case that was sent. */
function fieldOf(headers: Exclude<WebhookHeaders, HeadersLike>, name: string): unknown {
  const key = Object.keys(headers).find((one) => one.toLowerCase() === name);
  return key === undefined ? undefined : headers[key];
}

async function keyOf(secret: string) {
  const bytes = base64Bytes(secret.replace(/^whsec_/, ''));
  if (!bytes?.length)
    throw new TypeError('The secret must be that of a webhook: base64, with or without whsec_.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function base64Bytes(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function eventOf(text: string): WebhookEvent {
  const { type } = JSON.parse(text) as WebhookEvent;
  const shape = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
  return (shape ? parseJson(text, shape) : parseExactly(text)) as WebhookEvent;
}
