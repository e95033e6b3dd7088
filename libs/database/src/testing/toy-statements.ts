import type { InsertSql, RowKey, SelectSql, WriteSql } from '../sql-session.js';

const BY_ID: RowKey = { table: 'toys', places: [0], types: ['bigint'] };

/** Statements for tests that send them nowhere. */
export const LOCK: SelectSql = { sql: 'LOCK FOR UPDATE', isLocking: true, row: BY_ID, groupable: null };
/** What a shared transaction sends instead of LOCK. */
export const TRY_LOCK = 'LOCK FOR UPDATE SKIP LOCKED';
export const FIND: SelectSql = { sql: 'FIND', isLocking: false, row: BY_ID, groupable: null };
export const CHANGE: WriteSql = { single: 'UPDATE one', many: 'UPDATE many', does: 'change', row: BY_ID };
export const REPLACE: WriteSql = { single: 'REPLACE one', many: null, does: 'replace', row: BY_ID };
export const ADD: WriteSql = { single: 'INSERT one', many: 'INSERT many', does: 'insert', row: null };
export const ADD_BY_ID: WriteSql = { ...ADD, row: BY_ID };
export const INSERT: InsertSql = {
  single: 'INSERT',
  many: null,
  drawn: { draw: 'nextval', insert: ADD, place: 1 },
};
