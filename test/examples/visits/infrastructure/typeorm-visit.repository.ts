import { Injectable } from '@nestjs/common';
import { RepositoryOf } from '@animal-store/database';
import type { VisitRepository } from '../domain/visit.repository.js';
import { VisitRecord } from './visit.record.js';

/** The visits in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmVisitRepository extends RepositoryOf(VisitRecord, 'visit') implements VisitRepository {}
