export type AnimalStatus = 'available' | 'pending' | 'sold';
export type OrderStatus = 'placed' | 'completed' | 'cancelled';

export interface Animal {
  readonly id: number;
  readonly name: string;
  readonly status: AnimalStatus;
}

export interface Order {
  readonly id: number;
  readonly petId: number;
  readonly status: OrderStatus;
}

/** When a request was sent and when its whole response had arrived, on the clock of this process. */
export interface Timed {
  readonly invokedMs: number;
  /** Infinity for a write whose outcome is unknown: it may take effect at any time after it was sent, or never. */
  readonly returnedMs: number;
  /** Who sent a request to which replica. */
  readonly by: string;
}

/** An animal was added. Every addition of a history has its own name. */
export interface Addition extends Timed {
  readonly kind: 'addition';
  readonly name: string;
  readonly status: AnimalStatus;
  /** Null when the outcome is unknown. */
  readonly id: number | null;
}

/**
 * An order was placed. After one with an unknown outcome an account never orders the same animal again, so a list of
 * its orders shows which one it was.
 */
export interface Placement extends Timed {
  readonly kind: 'placement';
  readonly account: string;
  readonly petId: number;
  /** Null when the outcome is unknown. */
  readonly orderId: number | null;
}

/** An order was completed or cancelled. */
export interface Ending extends Timed {
  readonly kind: 'completion' | 'cancellation';
  readonly account: string;
  readonly orderId: number;
}

/** A page of animals, or one animal: all with an id above `after` and up to `upTo`, of `status` if it is set. */
export interface AnimalsRead extends Timed {
  readonly kind: 'animals';
  readonly status: AnimalStatus | null;
  readonly after: number;
  readonly upTo: number;
  readonly animals: readonly Animal[];
}

/** The same of the orders of an account. */
export interface OrdersRead extends Timed {
  readonly kind: 'orders';
  readonly account: string;
  readonly status: OrderStatus | null;
  readonly after: number;
  readonly upTo: number;
  readonly orders: readonly Order[];
}

/** An order was refused, because its animal was not available. */
export interface RefusedPlacement extends Timed {
  readonly kind: 'refused placement';
  readonly petId: number;
}

/** An order could not be completed or cancelled, because it was not open. */
export interface RefusedEnding extends Timed {
  readonly kind: 'refused ending';
  readonly account: string;
  readonly orderId: number;
}

export type Operation =
  Addition | Placement | Ending | AnimalsRead | OrdersRead | RefusedPlacement | RefusedEnding;

/** Requests that were sent at once with a key that nobody else uses, all within a minute. */
export interface Burst {
  readonly invokedMs: number;
  readonly returnedMs: number;
  readonly perMinute: number;
  /** The statuses of the responses. */
  readonly statuses: readonly number[];
}

/** A time in which the counts in Redis could not be used, or after which they were lost. */
export interface CountsLost {
  readonly startedMs: number;
  readonly endedMs: number;
}

/** What clients have seen of the service, in the order of the responses. */
export interface History {
  readonly operations: readonly Operation[];
  readonly bursts: readonly Burst[];
  readonly countsLost: readonly CountsLost[];
}
