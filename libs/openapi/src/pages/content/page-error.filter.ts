import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { HttpErrorFilter, httpErrorFrom, RouteNotFound, setErrorHeaders } from '@animal-store/http-errors';
import { ERRORS_PAGE } from '@animal-store/web';
import { Pages } from '../pages.js';

/** Sends a browser a page when a path does not exist. Bind it by `APP_FILTER` after the filter for other errors. */
@Catch(NotFoundException)
export class PageErrorFilter implements ExceptionFilter<NotFoundException> {
  constructor(
    private readonly others: HttpErrorFilter,
    private readonly pages: Pages,
  ) {}

  catch(error: NotFoundException, host: ArgumentsHost): void {
    const request = host.getArgByIndex<Request & { is404?: boolean }>(0);
    if (request.is404 !== true) return this.others.catch(error, host);
    const response = host.getArgByIndex<Response>(1);
    response.vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') return this.others.catch(error, host);
    setErrorHeaders(response, httpErrorFrom(new RouteNotFound()), ERRORS_PAGE);
    this.pages.sendUnknown(response);
  }
}
