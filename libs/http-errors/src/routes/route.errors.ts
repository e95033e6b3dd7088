import { BadRequestException, MethodNotAllowedException, NotFoundException } from '@nestjs/common';

/** 404: no route has the path of the request. */
export class RouteNotFound extends NotFoundException {
  static readonly when = 'The path does not exist.';
  static readonly fix = 'Compare its version and each part with the documentation.';
  static readonly example = new RouteNotFound();

  constructor() {
    super({ code: 'route_not_found', message: RouteNotFound.when });
  }
}

/** 405: routes have the path of the request, but none of them its method. */
export class MethodNotAllowed extends MethodNotAllowedException {
  static readonly when = 'The path does not support the method.';
  static readonly fix = '`Allow` lists the methods of the path.';
  static readonly example = new MethodNotAllowed('GET, HEAD, OPTIONS');

  /** @param allowed the value of the `Allow` header */
  constructor(allowed: string) {
    super(`The path does not support this method; it supports ${allowed}.`);
  }
}

/** 400: the path cannot be decoded. */
export class MalformedPath extends BadRequestException {
  static readonly when = 'The path contains a malformed percent-escape.';
  static readonly fix = 'Write `%25` for a `%` that does not begin an escape.';
  static readonly example = new MalformedPath();

  constructor() {
    super(MalformedPath.when);
  }
}
