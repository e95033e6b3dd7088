import { type ArgumentsHost, Catch, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { HttpErrorFilter, httpErrorFrom, RouteNotFound, setErrorHeaders } from '@animal-store/http-errors';
import { type PageFrame, PATHS, pageHtml } from '../page-layout.js';

/** The setting of Express that has the page of an unknown path. */
export const UNKNOWN_PAGE = 'page of an unknown path';

type SendPage = (request: Request, response: Response) => unknown;

/** Sends a browser a page when a path does not exist. Bind it beside the filter for every other error. */
@Catch(NotFoundException)
export class PageErrorFilter extends HttpErrorFilter {
  override catch(error: NotFoundException, host: ArgumentsHost): void {
    const request = host.getArgByIndex<Request & { is404?: boolean }>(0);
    if (request.is404 !== true) return super.catch(error, host);
    const response = host.getArgByIndex<Response>(1);
    response.vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') return super.catch(error, host);
    setErrorHeaders(response, httpErrorFrom(new RouteNotFound()), this.options.helpUrl);
    (request.app.get(UNKNOWN_PAGE) as SendPage)(request, response);
  }
}

/** The page of a path that does not exist. */
export function unknownPage(frame: PageFrame): string {
  return pageHtml(frame, {
    title: 'Not found',
    path: '',
    body: `    <main class="text" id="content" tabindex="-1">
      <h1>This page does not exist</h1>
      <p>The <a href="${PATHS.explorer}">explorer</a> shows every operation of the API, and <a href="${PATHS.front}">the front page</a>
        what else there is. Programs get the Error object <a href="${PATHS.errors}#route_not_found"><code>route_not_found</code></a>.</p>
    </main>`,
  });
}
