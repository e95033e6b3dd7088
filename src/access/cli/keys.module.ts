import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '../../platform/config/config.module.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Database } from '../../platform/database/database.js';
import { DatabaseModule } from '../../platform/database/database.module.js';
import type { Clock } from '@animal-store/kernel';
import { ClockModule } from '../../platform/config/clock.module.js';
import { AccessApplicationModule } from '../application/access-application.module.js';
import { AccessInfrastructureModule } from '../infrastructure/access-infrastructure.module.js';

/** The composition root of the command line: the same use cases as in the server, without HTTP. */
@Module({})
export class KeysModule {
  static forRoot(settings: Settings, database: Database, clock: Clock): DynamicModule {
    return {
      module: KeysModule,
      imports: [
        ConfigModule.forRoot(settings),
        ClockModule.forRoot(clock),
        DatabaseModule.forRoot(database),
        AccessApplicationModule.over(AccessInfrastructureModule),
      ],
    };
  }
}
