export { Deprecated } from './deprecated.decorator.js';
export type { DeprecatedOptions } from './deprecated.decorator.js';
export {
  deprecatedOperation,
  DeprecationHeadersGuard,
  isRemoved,
  setDeprecationHeaders,
} from './deprecated-operation.js';
export type { DeprecatedOperation } from './deprecated-operation.js';
export { OperationRemoved } from './deprecation.errors.js';
export { DeprecationInterceptor } from './deprecation.interceptor.js';
export { DeprecationModule } from './deprecation.module.js';
export type { DeprecationOptions } from './deprecation.module.js';
