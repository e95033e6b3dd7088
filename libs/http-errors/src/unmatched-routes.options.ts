export interface UnmatchedRoutesOptions {
  /**
   * Whether a handler refuses a malformed path itself, with an error of higher priority. Called for each such request.
   */
  passMalformedPath?(handler: object): boolean;
}

export const UNMATCHED_ROUTES_OPTIONS = Symbol('UNMATCHED_ROUTES_OPTIONS');
