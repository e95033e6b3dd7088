import type { Database } from '@animal-store/database';
import { describeRepository } from '@animal-store/database/testing';
import { events } from '../../../events.js';
import { EventTypes } from '../../domain/event.js';
import { webhookRepositoryContract } from '../../testing/webhook.repository.contract.js';
import { webhooksTables } from '../webhooks.tables.js';
import { TypeOrmWebhookRepository } from './typeorm-webhook.repository.js';

class LoneWebhookRepository extends TypeOrmWebhookRepository {
  constructor(database: Database) {
    super(database, new EventTypes(events));
  }
}

describeRepository(LoneWebhookRepository, [webhooksTables], webhookRepositoryContract);
