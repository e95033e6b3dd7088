import type { OpenAPIObject } from '@nestjs/swagger';
import { escapeHtml } from '../../page-layout.js';
import type { Operation } from '../../../operation-description.js';
import { exampleIn, exampleRequest, filledIn, parametersOf, prefixOf } from '../example-request.js';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

export interface ListedOperation {
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** Its place on the page of the explorer, as Swagger UI names it: `/Ships/listShips`. */
  readonly place: string;
}

/** The operations of a document, by their tags. */
export function operationsOf({ paths, tags = [] }: OpenAPIObject): ListedOperation[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const tag = operation?.tags?.[0];
      if (!operation || tag === undefined) return [];
      const place = `/${tag}/${operation.operationId}`;
      return [{ tag, method: method.toUpperCase(), path, operation, place }];
    }),
  );
  return tags.flatMap(({ name }) => all.filter(({ tag }) => tag === name));
}

/**
 * The operations, to read and to send, until Swagger UI, which is large, has arrived; and where it never runs.
 *
 * @param htmlOf makes HTML of Markdown
 */
export function operationList(
  document: OpenAPIObject,
  publicPath: string,
  htmlOf: (markdown: string) => string,
): string {
  const operations = operationsOf(document);
  const sections = (document.tags ?? []).map(({ name, description = '' }) => {
    const items = operations.filter(({ tag }) => tag === name);
    const sent = eventsOf(document, name).map((one) => eventItem(one, htmlOf));
    return `<h2>${escapeHtml(name)}</h2>\n${htmlOf(description)}${items.map((one) => item(document, one, publicPath, htmlOf)).join('')}${sent.join('')}`;
  });
  return `<main class="text" id="operation-list">
<h1>${escapeHtml(document.info.title)}</h1>
<p id="loading" role="status" hidden>Swagger UI is loading. Every operation can be read and sent here already.</p>
<p><label>Your API key <input id="list-key" autocomplete="off" spellcheck="false"></label></p>
${sections.join('')}</main>`;
}

function item(
  document: OpenAPIObject,
  { method, path, operation, place }: ListedOperation,
  publicPath: string,
  htmlOf: (markdown: string) => string,
): string {
  const { summary = '', description = '' } = operation;
  const prefix = prefixOf(document, path);
  const code = exampleRequest(operation, method, prefix + filledIn(path, operation));
  return `<details id="${place}"><summary><code>${method} ${path}</code> ${escapeHtml(summary)}</summary>
${htmlOf(description)}${form(operation, method, publicPath + prefix + path)}
<pre tabindex="0"><code>${escapeHtml(code)}</code></pre></details>
`;
}

/** What the service sends to webhooks, by the tag of the document that it belongs to. */
function eventsOf(document: OpenAPIObject, tag: string): readonly (readonly [string, Operation])[] {
  const { webhooks = {} } = document as { webhooks?: OpenAPIObject['paths'] };
  return Object.entries(webhooks).flatMap(([name, { post }]) =>
    post?.tags?.[0] === tag ? [[name, post] as const] : [],
  );
}

function eventItem(
  [name, event]: readonly [string, Operation],
  htmlOf: (markdown: string) => string,
): string {
  const { summary = '', description = '' } = event;
  const body = exampleIn(event.requestBody) ?? '';
  return `<details id="/event/${name}"><summary><code>${name}</code> ${escapeHtml(summary)}</summary>
${htmlOf(description)}<pre tabindex="0"><code>${escapeHtml(body)}</code></pre></details>
`;
}

/** The script of the page sends it. A field is named by its place: `path.shipId`, `query.limit`, `body`. */
function form(operation: Operation, method: string, path: string): string {
  const inputs = parametersOf(operation).map(
    ({ name, in: place, required, example }) =>
      `<label>${name} <input name="${place}.${name}"${required ? ` required value="${escapeHtml(example ?? '')}"` : ''}></label>`,
  );
  const body = exampleIn(operation.requestBody);
  if (body !== null) inputs.push(`<label>Body <textarea name="body">${escapeHtml(body)}</textarea></label>`);
  return `<form data-method="${method}" data-path="${path}">${inputs.join('')}<button disabled>Send</button><output></output></form>`;
}
