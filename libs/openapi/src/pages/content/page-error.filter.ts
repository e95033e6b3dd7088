import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { HttpErrorFilter, httpErrorFrom, RouteNotFound, setErrorHeaders } from '@animal-store/http-errors';
import { ERRORS_PAGE } from '@animal-store/web';
import { type PageFrame, PATHS, pageHtml } from '../page-layout.js';

/** Sends a browser a page when a path does not exist. Bind it after the filter for every other error. */
@Catch(NotFoundException)
export class PageErrorFilter implements ExceptionFilter<NotFoundException> {
  constructor(
    private readonly others: HttpErrorFilter,
    private readonly sendPage: (response: Response) => unknown,
  ) {}

  catch(error: NotFoundException, host: ArgumentsHost): void {
    const request = host.getArgByIndex<Request & { is404?: boolean }>(0);
    if (request.is404 !== true) return this.others.catch(error, host);
    const response = host.getArgByIndex<Response>(1);
    response.vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') return this.others.catch(error, host);
    setErrorHeaders(response, httpErrorFrom(new RouteNotFound()), ERRORS_PAGE);
    this.sendPage(response);
  }
}

/** The page of a path that does not exist. */
export function unknownPage(frame: PageFrame): string {
  const { publicPath } = frame;
  return pageHtml(frame, {
    title: 'Not found',
    path: '',
    body: `    <main class="text" id="content" tabindex="-1">
      <h1>This page does not exist</h1>
      <p>The <a href="${publicPath}${PATHS.explorer}">explorer</a> shows every operation of the API, and <a href="${publicPath}${PATHS.front}">the front page</a>
        what else there is. Programs get the Error object <a href="${publicPath}${PATHS.errors}#route_not_found"><code>route_not_found</code></a>.</p>
    </main>`,
  });
}
