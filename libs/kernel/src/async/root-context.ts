import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs `work` in the asynchronous context of the start of this process: in no request, no trace and no transaction.
 * Every background task starts in it, because often a request triggers it.
 */
export const inRootContext: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();
