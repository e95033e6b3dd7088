import { CreateVisits1795100002000 } from './migrations/1795100002000-create-visits.js';
import { VisitRecord } from './visit.record.js';

/** The records of this context and the migrations that create their tables. */
export const visitsTables = { records: [VisitRecord], migrations: [CreateVisits1795100002000] };
