import type { OpenAPIObject } from '@nestjs/swagger';
import type { PageSection } from '../../markdown.js';
import { PATHS } from '../../page-layout.js';
import { parametersOf } from '../example-request.js';
import { operationsOf } from './operation-list.js';

/** What the search of every page finds. The script of the search reads it. */
export interface SearchResult {
  readonly title: string;
  /** What it is, or where. */
  readonly text: string;
  /** What it says, if that is searched too. */
  readonly content?: string;
  readonly url: string;
}

export interface SearchedPage {
  readonly path: string;
  readonly title: string;
  /** What it says before its sections. */
  readonly beginning: string;
  readonly sections: readonly PageSection[];
}

/** Operations, errors and pages, in this order. */
export function searchIndex(
  document: OpenAPIObject,
  pages: readonly SearchedPage[],
  publicPath: string,
): readonly SearchResult[] {
  const operations = operationsOf(document).map(({ method, path, operation, place }) => ({
    title: `${method} ${path}`,
    text: `${operation.summary ?? ''} · ${operation.operationId}`,
    content: [operation.description, ...parametersOf(operation).map(({ name }) => name)].join(' '),
    url: `${publicPath}${PATHS.explorer}#${encodeURI(place)}`,
  }));
  const texts = pages.flatMap(({ path, title, beginning, sections }) => [
    { title, text: 'Page', content: beginning, url: publicPath + path },
    ...sections.map(({ id, title: place, text: content }) => ({
      title: place,
      text: title,
      content,
      url: `${publicPath}${path}#${id}`,
    })),
  ]);
  return [...operations, ...texts];
}
