import { type DynamicModule, Module } from '@nestjs/common';
import { MULTER_MODULE_OPTIONS } from '@nestjs/platform-express/multer/files.constants.js';
import { Clock } from '@animal-store/kernel';
import { Settings } from './settings.js';

/** Provides the settings and the clock to every module, and their limits to Nest's interceptors for files. */
@Module({})
export class SettingsModule {
  static forRoot(settings: Settings, clock: Clock): DynamicModule {
    return {
      module: SettingsModule,
      global: true,
      providers: [
        { provide: Settings, useValue: settings },
        { provide: Clock, useValue: clock },
        { provide: MULTER_MODULE_OPTIONS, useValue: { limits: uploadLimits(settings) } },
      ],
      exports: [Settings, Clock, MULTER_MODULE_OPTIONS],
    };
  }
}

/** A form is in memory while it is read. An interceptor that takes more says so itself. */
function uploadLimits({ server: { uploadLimitBytes, bodyLimitBytes } }: Settings) {
  return { fileSize: uploadLimitBytes, files: 1, fieldSize: bodyLimitBytes, fields: 100 };
}
