/** What the service stores with an API key. Handlers get it with `@Caller() caller: Caller<KeyFacts>`. */
export interface KeyFacts {
  /** The account that owns the key; several keys may share an account. */
  readonly account: string;
  readonly plan: string;
  /** Requests allowed in a minute. */
  readonly perMinute: number;
  /** Requests allowed in a day. */
  readonly perDay: number;
}
