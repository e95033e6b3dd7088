import { Module } from '@nestjs/common';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { PetsApplicationModule } from './application/pets-application.module.js';
import { PetsController } from './http/pets.controller.js';

/** The animals of the store: the controller, and the use cases that other contexts may call. */
@Module({
  imports: [IdempotencyModule, PetsApplicationModule],
  controllers: [PetsController],
  exports: [PetsApplicationModule],
})
export class PetsModule {}
