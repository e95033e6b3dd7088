import { ForbiddenException, ServiceUnavailableException, UnauthorizedException } from '@nestjs/common';

/** 401: no key was sent. */
export class MissingApiKey extends UnauthorizedException {
  static readonly when = 'No API key was sent.';
  static readonly fix =
    'Send `Authorization: Bearer <API_KEY>`. Keys in the URL are ignored. Some proxies drop the header.';
  static readonly example = new MissingApiKey();

  constructor() {
    super({
      code: 'missing_api_key',
      message: 'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".',
    });
  }
}

/** 401: the key is not valid. The text is the same for every key, so it helps no guesser. */
export class InvalidApiKey extends UnauthorizedException {
  static readonly when = 'The key is unknown, expired or revoked, or belongs to another environment.';
  static readonly fix =
    'Check its text, its prefix, and that it is in one header only. Only the operator can see which it is.';
  static readonly example = new InvalidApiKey();

  /** @param problem what is wrong with the header, whatever the key is */
  constructor(problem?: string) {
    const message = `The API key is not valid${problem === undefined ? '' : `: ${problem}`}.`;
    super({ code: 'invalid_api_key', message });
  }
}

/** 403: the key is valid, and lacks scopes that the operation needs. */
export class InsufficientScope extends ForbiddenException {
  static readonly when = 'The API key does not have a scope that the operation needs.';
  static readonly fix = '`WWW-Authenticate` names every missing scope. Use a key that has them.';
  static readonly example = new InsufficientScope(['things:write']);

  /** What `WWW-Authenticate` says, by RFC 6750 section 3. */
  readonly challenge: string;

  /** @param missing null on a route that names no scope */
  constructor(missing: readonly string[] | null) {
    const scopes = missing?.length === 1 ? 'the scope' : 'the scopes';
    super({
      code: 'insufficient_scope',
      message: missing
        ? `The API key does not have ${scopes} ${missing.join(', ')}.`
        : 'The operation names no scope, so only a key without scopes may call it.',
    });
    this.challenge = `Bearer error="insufficient_scope"${missing ? `, scope="${missing.join(' ')}"` : ''}`;
  }
}

/** 503: the queue of key look-ups is full. */
export class UncheckedApiKey extends ServiceUnavailableException {
  static readonly when = 'The queue of API keys to look up is full.';
  static readonly fix = 'Many unknown keys arrive at once, also from others: try again.';
  static readonly example = new UncheckedApiKey();

  constructor() {
    super({
      code: 'service_unavailable',
      message: 'Too many API keys are being checked. Try again shortly.',
    });
  }
}
