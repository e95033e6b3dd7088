import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  type OnModuleInit,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type AnyRequest, type AnyResponse, nodeRequest } from '@animal-store/kernel/http';
import { deprecatedOperation, setDeprecationHeaders } from './deprecated-operation.js';
import { OperationRemoved } from './deprecation.errors.js';
import { DEPRECATION_OPTIONS, type DeprecationOptions } from './deprecation.module.js';

/**
 * Bound by `@Deprecated`: sets the deprecation headers, reports the call, and refuses it after the sunset. As an
 * interceptor it runs after all guards and before all pipes: a caller without access gets the guard's error, and a
 * caller with access sees the removal before any error in the input.
 *
 * @throws OperationRemoved
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor, OnModuleInit {
  private options!: DeprecationOptions;

  constructor(@Inject(ModuleRef) private readonly modules: ModuleRef) {}

  /** Nest creates it in the module of each controller, which need not import the options. */
  onModuleInit(): void {
    this.options = this.modules.get<DeprecationOptions>(DEPRECATION_OPTIONS, { strict: false });
  }

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const operation = deprecatedOperation(context.getHandler());
    if (!operation || context.getType() !== 'http') return next.handle();
    const { now = Date.now, onCall } = this.options;
    const request = context.getArgByIndex<AnyRequest>(0);
    setDeprecationHeaders(context.getArgByIndex<AnyResponse>(1), operation);
    onCall?.(nodeRequest(request), operation);
    if (now() >= (operation.sunsetMs ?? Infinity)) throw new OperationRemoved(operation.removedMessage!);
    return next.handle();
  }
}
