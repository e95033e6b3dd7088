import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import { Settings } from './settings.js';

/** Provides the settings and the clock to every module. */
@Module({})
export class SettingsModule {
  static forRoot(settings: Settings, clock: Clock): DynamicModule {
    return {
      module: SettingsModule,
      global: true,
      providers: [
        { provide: Settings, useValue: settings },
        { provide: Clock, useValue: clock },
      ],
      exports: [Settings, Clock],
    };
  }
}
