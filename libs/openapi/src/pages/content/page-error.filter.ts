import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { HttpErrorFilter, httpErrorFrom, RouteNotFound, setErrorHeaders } from '@animal-store/http-errors';
import { ERRORS_PAGE, refuse } from '@animal-store/web';
import { PATHS } from '../page-layout.js';
import { Pages } from '../pages.js';

/** Says where to look when a path does not exist. Bind it by `APP_FILTER` after the filter for other errors. */
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
    const unknown = httpErrorFrom(new RouteNotFound());
    if (request.accepts(['json', 'html']) !== 'html') {
      const place = this.pages.options.publicPath + PATHS.explorer;
      return refuse(response, { ...unknown, message: `${unknown.message} See ${place}.` });
    }
    setErrorHeaders(response, unknown, ERRORS_PAGE);
    this.pages.sendUnknown(response);
  }
}
