import { Module } from '@nestjs/common';
import { DatabaseModule } from '@animal-store/database';
import { Kennel } from './kennel.entity.js';
import { KennelsController } from './kennels.controller.js';
import { KennelsService } from './kennels.service.js';

@Module({
  imports: [DatabaseModule.forFeature([Kennel])],
  controllers: [KennelsController],
  providers: [KennelsService],
})
export class KennelsModule {}
