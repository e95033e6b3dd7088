export { Deprecated } from './deprecated.decorator.js';
export type { DeprecatedOptions } from './deprecated.decorator.js';
export { deprecatedOperation } from './deprecated-operation.js';
export type { DeprecatedOperation } from './deprecated-operation.js';
export { DeprecationHeadersGuard } from './deprecation-headers.guard.js';
export { DeprecationModule } from './deprecation.module.js';
export type { DeprecationOptions } from './deprecation.options.js';
