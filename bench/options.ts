/** What run.mjs makes of the command line. */
export interface Options {
  readonly quick: boolean;
  /** Names of scenarios; all of them when empty. */
  readonly scenario: readonly string[];
  /** How often the servers of a scenario are started, and measured in so many rounds each time. */
  readonly starts: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Whether the result goes to docs/performance.md. */
  readonly write: boolean;
  readonly list: boolean;
}
