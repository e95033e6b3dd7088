import { Module } from '@nestjs/common';
import { PetsApplicationModule } from './application/pets-application.module.js';
import { PetsController } from './http/pets.controller.js';
import { PetsInfrastructureModule } from './infrastructure/pets-infrastructure.module.js';

@Module({
  imports: [PetsApplicationModule.over(PetsInfrastructureModule)],
  controllers: [PetsController],
  exports: [PetsApplicationModule],
})
export class PetsModule {}
