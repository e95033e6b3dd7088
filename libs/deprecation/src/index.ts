export { Deprecated } from './deprecated.decorator.js';
export {
  announceDeprecation,
  deprecatedOperation,
  DeprecationMarkGuard,
  isRemoved,
} from './deprecated-operation.js';
export { OperationRemoved } from './deprecation.errors.js';
export { DeprecationInterceptor } from './deprecation.interceptor.js';
export { DeprecationModule } from './deprecation.module.js';
