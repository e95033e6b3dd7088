import { type DynamicModule, Module } from '@nestjs/common';
import { OutgoingClient, type OutgoingRules } from './outgoing.client.js';

/** Provides what sends requests to others, by the same rules for every module. */
@Module({})
export class OutgoingModule {
  static forRoot(rules: OutgoingRules): DynamicModule {
    return {
      module: OutgoingModule,
      global: true,
      providers: [{ provide: OutgoingClient, useFactory: () => new OutgoingClient(rules) }],
      exports: [OutgoingClient],
    };
  }
}
