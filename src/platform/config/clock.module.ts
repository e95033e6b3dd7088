import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';

@Module({})
export class ClockModule {
  static forRoot(clock: Clock): DynamicModule {
    return {
      module: ClockModule,
      global: true,
      providers: [{ provide: Clock, useValue: clock }],
      exports: [Clock],
    };
  }
}
