import { indentedJson } from './responses/exact-numbers.js';
import { fetchFirstEvents } from './responses/first-events.js';
import type { SwaggerUiResponse } from './swagger-ui.js';

/** The request that a form describes. A field is named by its place: `path.shipId`, `query.limit`, `body`. */
export function enteredRequest(
  { method, path }: { readonly method: string; readonly path: string },
  fields: Iterable<readonly [string, string]>,
  key: string,
): { url: string; init: { method: string; headers: Record<string, string>; body?: string } } {
  const headers: Record<string, string> = key === '' ? {} : { Authorization: `Bearer ${key}` };
  const query = new URLSearchParams();
  let url = path;
  let body: string | undefined;
  for (const [field, text] of fields) {
    const [, place, name = ''] = /^(\w+)\.?(.*)$/.exec(field)!;
    if (text === '') continue;
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(text));
    if (place === 'query') query.append(name, text);
    if (place === 'header') headers[name] = text;
    if (place === 'body') body = text;
  }
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (query.size > 0) url += `?${query}`;
  return { url, init: { method, headers, ...(body !== undefined && { body }) } };
}

export async function sendForm(
  form: HTMLFormElement,
  key: string,
  onResponse: (response: SwaggerUiResponse) => void,
): Promise<void> {
  const output = form.querySelector('output')!;
  output.value = 'Waiting for the response.';
  const { method = '', path = '' } = form.dataset;
  const fields = [...form.querySelectorAll<HTMLInputElement>('[name]')].map(
    (one) => [one.name, one.value] as const,
  );
  const { url, init } = enteredRequest({ method, path }, fields, key);
  try {
    const response = await fetchFirstEvents(url, init);
    const { status } = response;
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    const isJson = (headers['content-type'] ?? '').includes('json');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    output.value = [status, ...lines, '', isJson ? indentedJson(text) : text].join('\n');
    onResponse({ url: response.url, status, text, headers });
  } catch (error) {
    output.value = `No response: ${(error as Error).message}`;
  }
}
