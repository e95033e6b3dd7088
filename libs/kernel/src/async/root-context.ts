import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs `work` in the asynchronous context of the start of this process: in no request, no trace and no transaction.
 * Every task in the background begins in it, as it is often a request that wakes it.
 */
export const inRootContext: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();
