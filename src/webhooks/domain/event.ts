import { Scopes } from '@animal-store/api-keys/issuing';
import { type DomainEvent, Traces } from '@animal-store/kernel';

/** Sent when an account requests it, and to a new webhook. */
export const TEST_EVENT = 'webhook.test';

/** The audience of an event for every account. No account has an empty name. */
export const EVERYBODY = '';

/** Something that has happened, as it is sent. */
export interface StoredEvent {
  /** In the order in which they were stored. */
  readonly id: bigint;
  /** The `webhook-id` of each request that has it. */
  readonly eventId: string;
  readonly type: string;
  /** The account whose event it is, or EVERYBODY. */
  readonly audience: string;
  /** What is sent, in JSON. */
  readonly body: string;
  readonly createdAtMs: number;
  /** The last webhook that has a delivery of it; null when all have that are to be notified. */
  readonly fannedOutUpTo: bigint | null;
  /** The span of a trace that has caused it; null without one. */
  readonly cause: string | null;
}

export type NewEvent = Omit<StoredEvent, 'id'>;
export type OpenEvent = Pick<StoredEvent, 'id' | 'type'> & { readonly fannedOutUpTo: bigint };

/** An event as its context declares it. */
export interface EventType {
  readonly name: string;
  readonly version: number;
  /** The scope that reads it. */
  readonly scope: string;
  /** What of the event is sent. */
  dataOf(event: DomainEvent): object;
  /** The account whose event it is. Left out when it is everybody's. */
  accountOf?(event: DomainEvent): string;
}

/** The events that can be sent, as all contexts declare them. */
export class EventTypes {
  private readonly byName: ReadonlyMap<string, EventType>;

  /** @throws Error for an event with a scope that nobody has defined */
  constructor(
    readonly all: readonly EventType[],
    private readonly scopes = new Scopes(),
  ) {
    for (const { name, scope } of all) {
      const problem = scopes.problemOf(scope);
      if (problem) throw new Error(`${name}: ${problem}`);
    }
    this.byName = new Map(all.map((type) => [type.name, type]));
  }

  find(name: string): EventType | undefined {
    return this.byName.get(name);
  }

  /** The account whose events of this name an account gets; EVERYBODY for those that every account gets. */
  audienceFor(name: string, account: string): string {
    return this.find(name)?.accountOf === undefined ? EVERYBODY : account;
  }

  /** Of the scopes that read these events, those that a key does not have. */
  missingScopes(names: readonly string[], granted: readonly string[] | null | undefined): readonly string[] {
    const needed = new Set(names.flatMap((name) => this.find(name)?.scope ?? []));
    return this.scopes.missingOf([...needed], granted);
  }
}

/**
 * An event that is to be fanned out.
 * @param data its JSON
 */
export function newEvent(
  { name, version }: Pick<EventType, 'name' | 'version'>,
  audience: string,
  data: string,
  createdAtMs: number,
): NewEvent {
  const timestamp = new Date(createdAtMs).toISOString();
  const body = `{"type":"${name}","version":${version},"timestamp":"${timestamp}","data":${data}}`;
  const eventId = `evt_${crypto.randomUUID()}`;
  return { eventId, type: name, audience, body, createdAtMs, fannedOutUpTo: 0n, cause: Traces.activeSpan() };
}
