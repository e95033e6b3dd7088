import type { operations } from './schema.js';

export type OperationName = keyof operations;
