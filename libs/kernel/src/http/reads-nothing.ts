/**
 * A mark on the function of a parameter decorator: it reads neither the body nor the headers of a request, so a handler
 * with it needs none. Packages that each have a copy of this file share it.
 */
export const READS_NOTHING = Symbol.for('reads nothing of a request');
