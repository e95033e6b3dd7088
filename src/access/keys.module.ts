import { Module } from '@nestjs/common';
import { scopes } from '../contexts.js';
import { Settings } from '../settings/settings.js';
import { ChangeAccount } from './application/change-account.use-case.js';
import { FindKey } from './application/find-key.use-case.js';
import { FirstKey } from './application/first-key.use-case.js';
import { KeySettings, StoreKeyIssuer } from './application/key-issuer.service.js';
import { ListKeyChanges } from './application/list-key-changes.use-case.js';
import { ListKeys } from './application/list-keys.use-case.js';
import { ListOwnKeys } from './application/list-own-keys.use-case.js';
import { LiftBan } from './application/usage/lift-ban.use-case.js';
import { ListBans } from './application/usage/list-bans.use-case.js';
import { ListDeprecatedCallers } from './application/usage/list-deprecated-callers.use-case.js';
import { ReadUsage } from './application/usage/read-usage.js';
import { AccessInfrastructureModule } from './infrastructure/access-infrastructure.module.js';

const useCases = [
  FirstKey,
  ChangeAccount,
  FindKey,
  ListKeys,
  ListKeyChanges,
  ListOwnKeys,
  ListBans,
  LiftBan,
  ListDeprecatedCallers,
];
const services = [StoreKeyIssuer, ReadUsage];

/** Provides the use cases. The command line has them without the rest of the server. */
@Module({
  imports: [AccessInfrastructureModule],
  providers: [
    ...useCases,
    ...services,
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
  exports: [...useCases, ...services],
})
export class KeysModule {}
