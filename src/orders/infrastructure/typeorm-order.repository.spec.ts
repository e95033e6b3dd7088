import { describeRepository } from '@animal-store/database/testing';
import { orderRepositoryContract } from '../testing/order.repository.contract.js';
import { ordersTables } from './orders.tables.js';
import { TypeOrmOrderRepository } from './typeorm-order.repository.js';

describeRepository(TypeOrmOrderRepository, [ordersTables], orderRepositoryContract);
