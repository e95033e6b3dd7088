import { type ArgumentsHost, Catch, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { HttpErrorFilter, httpErrorFrom, RouteNotFound, setErrorHeaders } from '@animal-store/http-errors';

/** The setting of Express that has the page of an unknown path. */
export const UNKNOWN_PAGE = 'page of an unknown path';

type SendPage = (request: Request, response: Response) => unknown;

/** Sends a browser a page when a path does not exist, and everything else an Error object. */
@Catch()
export class PageErrorFilter extends HttpErrorFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    const request = host.getArgByIndex<Request & { is404?: boolean }>(0);
    if (request.is404 !== true || !(error instanceof NotFoundException)) return super.catch(error, host);
    const response = host.getArgByIndex<Response>(1);
    response.vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') return super.catch(error, host);
    setErrorHeaders(response, httpErrorFrom(new RouteNotFound()), this.options.helpUrl);
    (request.app.get(UNKNOWN_PAGE) as SendPage)(request, response);
  }
}
