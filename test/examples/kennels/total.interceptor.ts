import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { tap } from 'rxjs';

@Injectable()
export class TotalInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<readonly object[]>) {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(tap((list) => response.set('X-Total', String(list.length))));
  }
}
