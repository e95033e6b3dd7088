import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CreateFirstKey } from './create-first-key.use-case.js';
import { CreateKey } from './create-key.use-case.js';
import { FindKey } from './find-key.use-case.js';
import { HasKeys } from './has-keys.use-case.js';
import { LiftBan } from './lift-ban.use-case.js';
import { ListKeys } from './list-keys.use-case.js';
import { RevokeKey } from './revoke-key.use-case.js';
import { RotateKey } from './rotate-key.use-case.js';
import { SetPlan } from './set-plan.use-case.js';
import { ShowKey } from './show-key.use-case.js';

const useCases = [
  CreateKey,
  CreateFirstKey,
  FindKey,
  HasKeys,
  ListKeys,
  ShowKey,
  SetPlan,
  RotateKey,
  RevokeKey,
  LiftBan,
];

/** The use cases of API keys. `infrastructure` provides their ports. */
@Module({ providers: useCases, exports: useCases })
export class AccessApplicationModule {
  static over(infrastructure: Type): DynamicModule {
    return { module: AccessApplicationModule, imports: [infrastructure] };
  }
}
