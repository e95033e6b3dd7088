import { Module } from '@nestjs/common';
import { scopes } from '../contexts.js';
import { Settings } from '../settings/settings.js';
import { ChangeAccount } from './application/change-account.use-case.js';
import { FindKey } from './application/find-key.use-case.js';
import { FirstKey } from './application/first-key.use-case.js';
import { KeySettings, StoreKeyIssuer } from './application/key-issuer.use-case.js';
import { ListKeys } from './application/list-keys.use-case.js';
import { OwnKeys } from './application/own-keys.use-case.js';
import { LiftBan } from './application/usage/lift-ban.use-case.js';
import { ListBans } from './application/usage/list-bans.use-case.js';
import { ListDeprecatedCallers } from './application/usage/list-deprecated-callers.use-case.js';
import { ReadUsage } from './application/usage/read-usage.js';
import { AccessInfrastructureModule } from './infrastructure/access-infrastructure.module.js';

const useCases = [
  StoreKeyIssuer,
  FirstKey,
  ChangeAccount,
  FindKey,
  ListKeys,
  ListBans,
  LiftBan,
  ListDeprecatedCallers,
  OwnKeys,
];

/** Provides the use cases. The command line has them without the rest of the server. */
@Module({
  imports: [AccessInfrastructureModule],
  providers: [
    ...useCases,
    ReadUsage,
    {
      provide: KeySettings,
      inject: [Settings],
      useFactory: ({ api, keys }: Settings): KeySettings => ({
        prefix: api.keyPrefix,
        scopes,
        maxKeys: keys.perAccount,
      }),
    },
  ],
  exports: useCases,
})
export class KeysModule {}
