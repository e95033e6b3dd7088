import { type DynamicModule, Module } from '@nestjs/common';
import { MulterModule } from '@nestjs/platform-express';

export interface UploadLimits {
  /** The largest file of a form. */
  readonly fileBytes: number;
  /** The largest field of a form. */
  readonly fieldBytes: number;
}

/** A form is in memory while it is read, so a small number of fields too. */
const MAX_FIELDS = 100;

/**
 * Limits what Nest's interceptors for files read in every module that imports it. An interceptor may set its own limit.
 *
 * @throws PayloadTooLargeException for a file beyond its limit
 */
@Module({})
export class UploadLimitsModule {
  static forRoot({ fileBytes, fieldBytes }: UploadLimits): DynamicModule {
    const limits = { fileSize: fileBytes, files: 1, fieldSize: fieldBytes, fields: MAX_FIELDS };
    return {
      module: UploadLimitsModule,
      imports: [MulterModule.register({ limits })],
      exports: [MulterModule],
    };
  }
}
