-- Every statement that the service prepares, by database and table. A review sees what a change does to them.
-- Written by "npm run openapi:accept"; a test fails when it differs. Not here: that of migrations and `migrate-data`.
-- "grouped": equal and different reads of a moment share a statement, which this text becomes a part of (decision 15).
-- "excepted": why no test refuses that it reads a whole table or sorts its rows.

-- == SQLite ==

-- address_lifts

SELECT "lift"."changed_at" AS "changedAtMs"
  FROM "address_lifts" "lift"
  ORDER BY "lift"."changed_at" DESC
  LIMIT 1;
SELECT "lift"."address" AS "subject", "lift"."lifted_at" AS "liftedAtMs", "lift"."changed_at" AS "changedAtMs"
  FROM "address_lifts" "lift"
  WHERE "lift"."changed_at" > ?
  ORDER BY "lift"."changed_at" ASC
  LIMIT CAST(? AS INTEGER);

-- api_keys

INSERT INTO "api_keys"("id", "hash", "name", "account", "scopes", "created_at", "created_by", "expires_at", "revoked_at", "replaced_by", "changed_at", "plan", "per_minute", "per_day", "last_used_day", "suspended_at")
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
SELECT "key"."changed_at" AS "changedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."changed_at" IS NOT NULL
  ORDER BY "key"."changed_at" DESC
  LIMIT 1;
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."changed_at" > ?
  ORDER BY "key"."changed_at" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."id" = ?;
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."id" IN (SELECT value
  FROM json_each(?));
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."hash" = ?;
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."hash" IN (SELECT value
  FROM json_each(?));
-- excepted: `keys list` filters in the process of the command line.
SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM "api_keys"
  WHERE ("created_at", "id") > (?, ?) AND (CAST(? AS TEXT) IS NULL OR "plan" = ?) AND (CAST(? AS TEXT) IS NULL OR "account" = ?) AND (CAST(? AS BIGINT) IS NULL OR ("revoked_at" IS NULL AND ("expires_at" IS NULL OR "expires_at" > ?))) AND (CAST(? AS BIGINT) IS NULL OR COALESCE("last_used_day", "created_at" / 86400000) < ?)
  ORDER BY "created_at", "id"
  LIMIT 1000;
SELECT "key"."id" AS "id"
  FROM "api_keys" "key"
  WHERE "key"."account" = ?
  LIMIT 1;
-- excepted: It sorts the active or the suspended keys of an account, which an index finds.
WITH active AS MATERIALIZED (SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM "api_keys"
  WHERE "account" = ? AND "revoked_at" IS NULL AND "expires_at" IS NULL
  UNION ALL SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM "api_keys"
  WHERE "account" = ? AND "revoked_at" IS NULL AND "expires_at" > ?) SELECT *
  FROM active
  WHERE "id" > ?
  ORDER BY "id"
  LIMIT ?;
SELECT (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "api_keys"
  WHERE "account" = ? AND "revoked_at" IS NULL AND "expires_at" IS NULL
  LIMIT ?) AS counted) AS "lasting", (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "api_keys"
  WHERE "account" = ? AND "revoked_at" IS NULL AND "expires_at" > ?
  LIMIT ?) AS counted) AS "ending", (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "api_keys"
  WHERE "account" = ? AND "created_at" > ?
  LIMIT ?) AS counted) AS "recent";
WITH RECURSIVE made AS (SELECT *
  FROM "api_keys"
  WHERE "created_by" = ?
  UNION ALL SELECT child.*
  FROM made, "api_keys" AS child
  WHERE child."created_by" = made.id) SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM made
  WHERE "revoked_at" IS NULL AND ("expires_at" IS NULL OR "expires_at" > ?);
SELECT "key"."id" AS "id"
  FROM "api_keys" "key"
  WHERE "key"."account" = ? AND "key"."suspended_at" IS NOT NULL
  LIMIT 1;
-- excepted: It sorts the active or the suspended keys of an account, which an index finds.
SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM "api_keys"
  WHERE "account" = ? AND "suspended_at" IS NOT NULL AND "id" > ?
  ORDER BY "id"
  LIMIT ?;
SELECT "key"."id" AS "id"
  FROM "api_keys" "key"
  LIMIT 1;
UPDATE "api_keys"
  SET "last_used_day" = ?
  WHERE "id" IN (SELECT value
  FROM json_each(?)) AND ("last_used_day" IS NULL OR "last_used_day" < ?);
UPDATE "api_keys"
  SET "plan" = ?, "per_minute" = ?, "per_day" = ?, "expires_at" = ?, "revoked_at" = ?, "replaced_by" = ?, "suspended_at" = ?, "changed_at" = ?
  WHERE "id" = ?;

-- deprecated_calls

INSERT INTO "deprecated_calls" ("day", "operation", "key_id", "account", "calls") SELECT CAST(value->>'day' AS BIGINT), value->>'operation', value->>'keyId', value->>'account', CAST(value->>'calls' AS BIGINT)
  FROM json_each(?)
  WHERE TRUE
  ON CONFLICT ("day", "operation", "key_id") DO UPDATE
  SET "calls" = "deprecated_calls"."calls" + excluded."calls";
DELETE FROM "deprecated_calls"
  WHERE ("day", "operation", "key_id") IN (SELECT "day", "operation", "key_id"
  FROM "deprecated_calls"
  WHERE ("day") >= (?) AND "day" < ?
  ORDER BY "day"
  LIMIT ?)
  RETURNING "day" AS "day";

-- event_interests

SELECT "interest"."changed_at" AS "changedAtMs"
  FROM "event_interests" "interest"
  ORDER BY "interest"."changed_at" DESC
  LIMIT 1;
SELECT "interest"."event" AS "event", "interest"."audience" AS "audience", "interest"."webhooks" AS "webhooks", "interest"."changed_at" AS "changedAtMs"
  FROM "event_interests" "interest"
  WHERE "interest"."changed_at" > ?
  ORDER BY "interest"."changed_at" ASC
  LIMIT CAST(? AS INTEGER);
INSERT INTO "event_interests" ("event", "audience", "webhooks", "changed_at")
  VALUES (?, ?, CAST(? AS integer), CAST(? AS bigint))
  ON CONFLICT ("event", "audience") DO UPDATE
  SET "webhooks" = "event_interests"."webhooks" + excluded."webhooks", "changed_at" = excluded."changed_at";

-- events

INSERT INTO "events"("event_id", "type", "audience", "body", "created_at", "told_up_to", "cause")
  VALUES (?, ?, ?, ?, ?, ?, ?);
SELECT "event"."id" AS "id", "event"."event_id" AS "eventId", "event"."type" AS "type", "event"."audience" AS "audience", "event"."body" AS "body", "event"."created_at" AS "createdAtMs", "event"."told_up_to" AS "fannedOutUpTo", "event"."cause" AS "cause"
  FROM "events" "event"
  WHERE "event"."event_id" = ?;
SELECT "event"."id" AS "id", "event"."event_id" AS "eventId", "event"."type" AS "type", "event"."audience" AS "audience", "event"."body" AS "body", "event"."created_at" AS "createdAtMs", "event"."told_up_to" AS "fannedOutUpTo", "event"."cause" AS "cause"
  FROM "events" "event"
  WHERE "event"."audience" = ? AND "event"."type" = ? AND "event"."created_at" <= ?
  ORDER BY "event"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "event"."id" AS "id", "event"."event_id" AS "eventId", "event"."type" AS "type", "event"."audience" AS "audience", "event"."body" AS "body", "event"."created_at" AS "createdAtMs", "event"."told_up_to" AS "fannedOutUpTo", "event"."cause" AS "cause"
  FROM "events" "event"
  WHERE "event"."audience" = ? AND "event"."type" = ? AND "event"."created_at" <= ? AND ("event"."id") > (?)
  ORDER BY "event"."id" ASC
  LIMIT CAST(? AS INTEGER);
WITH RECURSIVE walk(audience, step) AS (SELECT (SELECT "audience"
  FROM "events"
  WHERE "told_up_to" IS NOT NULL AND "audience" > ?
  ORDER BY "audience"
  LIMIT 1), 1
  UNION ALL SELECT (SELECT "audience"
  FROM "events"
  WHERE "told_up_to" IS NOT NULL AND "audience" > walk.audience
  ORDER BY "audience"
  LIMIT 1), step + 1
  FROM walk
  WHERE walk.audience IS NOT NULL AND step < ?) SELECT walk.audience AS "audience"
  FROM walk
  WHERE walk.audience IS NOT NULL
  UNION ALL SELECT ''
  WHERE EXISTS (SELECT 1
  FROM "events"
  WHERE "told_up_to" IS NOT NULL AND "audience" = '');
SELECT "id" AS "id", "type" AS "type", "told_up_to" AS "fannedOutUpTo"
  FROM "events"
  WHERE "audience" = ? AND "told_up_to" IS NOT NULL
  ORDER BY "id"
  LIMIT CAST(? AS bigint);
UPDATE "events"
  SET "told_up_to" = CAST(? AS bigint)
  WHERE "id" IN (SELECT value
  FROM json_each(?));
SELECT "event"."id" AS "id", "event"."event_id" AS "eventId", "event"."type" AS "type", "event"."audience" AS "audience", "event"."body" AS "body", "event"."created_at" AS "createdAtMs", "event"."told_up_to" AS "fannedOutUpTo", "event"."cause" AS "cause"
  FROM "events" "event"
  WHERE "event"."id" IN (SELECT value
  FROM json_each(?));
DELETE FROM "events"
  WHERE ("id") IN (SELECT "id"
  FROM "events"
  WHERE ("created_at") >= (?) AND "created_at" <= ?
  ORDER BY "created_at"
  LIMIT ?)
  RETURNING "created_at" AS "createdAtMs";

-- idempotency_records

SELECT "record"."fingerprint" AS "fingerprint", "record"."status" AS "status", "record"."headers" AS "headers", "record"."body" AS "body", "record"."created_at" AS "createdAtMs"
  FROM "idempotency_records" "record"
  WHERE "record"."api_key_id" = ? AND "record"."idempotency_key" = ?;
INSERT INTO "idempotency_records"("api_key_id", "idempotency_key", "fingerprint", "body", "headers", "created_at", "status")
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT ( "api_key_id", "idempotency_key" ) DO UPDATE
  SET "fingerprint" = EXCLUDED."fingerprint", "body" = EXCLUDED."body", "headers" = EXCLUDED."headers", "created_at" = EXCLUDED."created_at", "status" = EXCLUDED."status";
DELETE FROM "idempotency_records"
  WHERE ("api_key_id", "idempotency_key") IN (SELECT "api_key_id", "idempotency_key"
  FROM "idempotency_records"
  WHERE ("created_at") >= (?) AND "created_at" <= ? - ?
  ORDER BY "created_at"
  LIMIT ?)
  RETURNING "created_at" AS "createdAtMs";

-- jobs

INSERT INTO "jobs"("kind", "subject", "payload", "state", "due_at", "tries", "tries_left", "created_at")
  VALUES (?, ?, ?, ?, ?, ?, ?, ?);
INSERT INTO "jobs" ("kind", "subject", "open_subject", "payload", "state", "due_at", "created_at", "tries", "tries_left") SELECT CAST(? AS text), given.subject, given.subject, given.payload, CAST(? AS text), CAST(? AS bigint), CAST(? AS bigint), 0, CAST(? AS integer)
  FROM (SELECT value AS subject, json_extract(?, '$[' || key || ']') AS payload
  FROM json_each(?)) AS given
  WHERE TRUE
  ON CONFLICT ("kind", "open_subject")
  WHERE "ended_at" IS NULL DO UPDATE
  SET "state" = CASE WHEN "jobs"."state" = 'delayed' THEN excluded."state" ELSE "jobs"."state" END, "due_at" = CASE WHEN "jobs"."state" = 'delayed' THEN excluded."due_at" ELSE "jobs"."due_at" END, "again_at" = CASE WHEN "jobs"."state" = 'delayed' THEN NULL ELSE excluded."due_at" END
  WHERE ("jobs"."state" = 'delayed' AND excluded."due_at" < "jobs"."due_at") OR ("jobs"."state" = 'running' AND ("jobs"."again_at" IS NULL OR excluded."due_at" < "jobs"."again_at"));
UPDATE "jobs"
  SET "state" = CASE WHEN "state" = 'waiting' THEN 'waiting' ELSE 'delayed' END, "due_at" = CASE WHEN "state" = 'delayed' AND "due_at" < "again_at" THEN "due_at" ELSE "again_at" END, "again_at" = NULL, "ended_at" = NULL, "tries_left" = CASE WHEN "tries_left" = 0 THEN -1 ELSE "tries_left" END
  WHERE "id" IN (SELECT value
  FROM json_each(?)) AND "again_at" IS NOT NULL AND "state" <> 'running';
SELECT "job"."id" AS "id"
  FROM "jobs" "job"
  WHERE "job"."kind" = ? AND "job"."open_subject" = ? AND "job"."ended_at" IS NULL;
UPDATE "jobs"
  SET "state" = ?, "due_at" = ?, "tries_left" = ?, "ended_at" = ?, "problem" = ?
  WHERE "id" = ? AND "tries" = ? AND "state" = 'running';
UPDATE "jobs"
  SET "state" = ?, "due_at" = ?, "tries_left" = ?, "ended_at" = ?, "problem" = ?
  WHERE "id" = ?;
SELECT given.value AS kind, (SELECT "due_at"
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'waiting' AND "ended_at" IS NULL
  ORDER BY "due_at", "id"
  LIMIT 1) AS waiting, (SELECT "due_at"
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'delayed' AND "ended_at" IS NULL
  ORDER BY "due_at", "id"
  LIMIT 1) AS delayed, (SELECT "due_at"
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'running' AND "ended_at" IS NULL
  ORDER BY "due_at", "id"
  LIMIT 1) AS running, NULL AS "nowMs"
  FROM json_each(?) AS given;
WITH RECURSIVE open_kinds(kind) AS (SELECT (SELECT "kind"
  FROM "jobs"
  WHERE "kind" > ? AND "ended_at" IS NULL
  ORDER BY "kind"
  LIMIT 1)
  UNION ALL SELECT (SELECT "kind"
  FROM "jobs"
  WHERE "kind" > open_kinds.kind AND "ended_at" IS NULL
  ORDER BY "kind"
  LIMIT 1)
  FROM open_kinds
  WHERE open_kinds.kind IS NOT NULL), failed_kinds(kind) AS (SELECT (SELECT "kind"
  FROM "jobs"
  WHERE "kind" > ? AND "state" = 'failed'
  ORDER BY "kind"
  LIMIT 1)
  UNION ALL SELECT (SELECT "kind"
  FROM "jobs"
  WHERE "kind" > failed_kinds.kind AND "state" = 'failed'
  ORDER BY "kind"
  LIMIT 1)
  FROM failed_kinds
  WHERE failed_kinds.kind IS NOT NULL) SELECT kind
  FROM open_kinds
  WHERE kind IS NOT NULL
  UNION ALL SELECT kind
  FROM failed_kinds
  WHERE kind IS NOT NULL;
-- excepted: It counts at most 10000 of each.
SELECT given.value AS kind, 'waiting' AS state, (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'waiting' AND "ended_at" IS NULL
  LIMIT 10000) AS counted) AS count
  FROM json_each(?) AS given
  UNION ALL SELECT given.value AS kind, 'delayed' AS state, (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'delayed' AND "ended_at" IS NULL
  LIMIT 10000) AS counted) AS count
  FROM json_each(?) AS given
  UNION ALL SELECT given.value AS kind, 'running' AS state, (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'running' AND "ended_at" IS NULL
  LIMIT 10000) AS counted) AS count
  FROM json_each(?) AS given
  UNION ALL SELECT given.value AS kind, 'failed' AS state, (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'failed'
  LIMIT 10000) AS counted) AS count
  FROM json_each(?) AS given;
-- excepted: Only the command line reads it, on a connection of its own.
SELECT "job"."id" AS "id", "job"."kind" AS "kind", "job"."subject" AS "subject", "job"."payload" AS "payload", "job"."state" AS "state", "job"."due_at" AS "dueAtMs", "job"."tries" AS "attempts", "job"."tries_left" AS "attemptsLeft", "job"."created_at" AS "createdAtMs", "job"."ended_at" AS "endedAtMs", "job"."problem" AS "problem", "job"."open_subject" AS "openSubject", "job"."again_at" AS "againAtMs"
  FROM "jobs" "job"
  WHERE (? = '' OR "job"."kind" = ?) AND (? = '' OR "job"."state" = ?)
  ORDER BY "job"."id" DESC
  LIMIT CAST(? AS INTEGER);
SELECT "job"."id" AS "id", "job"."kind" AS "kind", "job"."subject" AS "subject", "job"."payload" AS "payload", "job"."state" AS "state", "job"."due_at" AS "dueAtMs", "job"."tries" AS "attempts", "job"."tries_left" AS "attemptsLeft", "job"."created_at" AS "createdAtMs", "job"."ended_at" AS "endedAtMs", "job"."problem" AS "problem", "job"."open_subject" AS "openSubject", "job"."again_at" AS "againAtMs"
  FROM "jobs" "job"
  WHERE "job"."id" = ?;
UPDATE "jobs" AS job
  SET "state" = 'running', "due_at" = COALESCE(CAST(? AS bigint), NULL) + CAST(? AS bigint), "tries" = "tries" + 1, "tries_left" = CASE WHEN "tries_left" = -1 THEN CAST(? AS integer) ELSE "tries_left" END - 1
  WHERE job."id" IN (SELECT "id"
  FROM "jobs"
  WHERE "kind" = ? AND "state" = 'waiting' AND "ended_at" IS NULL AND TRUE
  ORDER BY "due_at", "id"
  LIMIT CAST(? AS bigint) )
  RETURNING "id" AS "id", "kind" AS "kind", "subject" AS "subject", "payload" AS "payload", "tries" AS "attempts", "tries_left" AS "attemptsLeft";
UPDATE "jobs" AS job
  SET "state" = 'waiting'
  WHERE job."id" IN (SELECT "id"
  FROM "jobs"
  WHERE "kind" = ? AND "state" = 'delayed' AND "ended_at" IS NULL AND "due_at" <= ?
  ORDER BY "due_at", "id"
  LIMIT CAST(? AS bigint) )
  RETURNING "id" AS "id", "kind" AS "kind", "subject" AS "subject", "payload" AS "payload", "tries" AS "attempts", "tries_left" AS "attemptsLeft";
UPDATE "jobs" AS job
  SET "state" = CASE WHEN "tries_left" = 0 THEN 'failed' ELSE 'waiting' END, "ended_at" = CASE WHEN "tries_left" = 0 THEN CAST(? AS bigint) END, "problem" = 'Its lease has expired.'
  WHERE job."id" IN (SELECT "id"
  FROM "jobs"
  WHERE "kind" = ? AND "state" = 'running' AND "ended_at" IS NULL AND "due_at" <= ? AND "id" NOT IN (SELECT value
  FROM json_each(?))
  ORDER BY "due_at", "id"
  LIMIT CAST(? AS bigint) )
  RETURNING "id" AS "id", "kind" AS "kind", "subject" AS "subject", "payload" AS "payload", "tries" AS "attempts", "tries_left" AS "attemptsLeft";
UPDATE "jobs"
  SET "due_at" = COALESCE(CAST(? AS bigint), NULL) + CAST(? AS bigint)
  WHERE "id" IN (SELECT value
  FROM json_each(?)) AND "state" = 'running'
  RETURNING "id" AS "id", "kind" AS "kind", "subject" AS "subject", "payload" AS "payload", "tries" AS "attempts", "tries_left" AS "attemptsLeft";
DELETE FROM "jobs"
  WHERE ("id") IN (SELECT "id"
  FROM "jobs"
  WHERE ("ended_at") >= (?) AND "state" IN ('done', 'cancelled') AND "ended_at" <= ?
  ORDER BY "ended_at"
  LIMIT ?)
  RETURNING "ended_at" AS "endedAtMs";

-- orders

INSERT INTO "orders"("account", "pet_id", "status", "placed_at", "updated_at")
  VALUES (?, ?, ?, ?, ?);
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND "order"."id" = ?;
UPDATE "orders"
  SET "status" = ?, "updated_at" = ?
  WHERE "id" = ?;
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ?
  ORDER BY "order"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND "order"."status" = ?
  ORDER BY "order"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND ("order"."id") > (?)
  ORDER BY "order"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND "order"."status" = ? AND ("order"."id") > (?)
  ORDER BY "order"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND "order"."status" = ?
  UNION ALL SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND "order"."status" = ?
  UNION ALL SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND "order"."status" = ?
  ORDER BY "id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND "order"."status" = ? AND ("order"."id") > (?)
  UNION ALL SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND "order"."status" = ? AND ("order"."id") > (?)
  UNION ALL SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = ? AND "order"."status" = ? AND ("order"."id") > (?)
  ORDER BY "id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."status" = 'placed' AND "order"."placed_at" < ? AND ("order"."placed_at", "order"."id") > (?, ?)
  ORDER BY "order"."placed_at" ASC, "order"."id" ASC
  LIMIT CAST(? AS INTEGER);

-- pets

INSERT INTO "pets"("name", "category_id", "status")
  VALUES (?, ?, ?);
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  WHERE "pet"."id" = ?;
UPDATE "pets"
  SET "status" = ?
  WHERE "id" = ?;
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  ORDER BY "pet"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  WHERE "pet"."status" = ?
  ORDER BY "pet"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  WHERE ("pet"."id") > (?)
  ORDER BY "pet"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  WHERE "pet"."status" = ? AND ("pet"."id") > (?)
  ORDER BY "pet"."id" ASC
  LIMIT CAST(? AS INTEGER);

-- rate_limit_usage

SELECT "usage"."subject" AS "subject", "usage"."day" AS "day", "usage"."day_count" AS "dayCount", "usage"."ban_until" AS "banUntilMs", "usage"."ban_ms" AS "banMs", "usage"."ban_refusals" AS "banRefusals"
  FROM "rate_limit_usage" "usage"
  WHERE "usage"."subject" IN (SELECT value
  FROM json_each(?));
SELECT "usage"."subject" AS "subject", "usage"."day" AS "day", "usage"."day_count" AS "dayCount", "usage"."ban_until" AS "banUntilMs", "usage"."ban_ms" AS "banMs", "usage"."ban_refusals" AS "banRefusals"
  FROM "rate_limit_usage" "usage"
  WHERE "usage"."ban_until" > ?;
DELETE FROM "rate_limit_usage"
  WHERE ("subject") IN (SELECT "subject"
  FROM "rate_limit_usage"
  WHERE ("day", "subject") >= (?, ?) AND "day" < ? AND "ban_until" < ?
  ORDER BY "day", "subject"
  LIMIT ?)
  RETURNING "day" AS "day", "subject" AS "subject";
INSERT INTO "rate_limit_usage" ("subject", "day", "day_count", "ban_until", "ban_ms", "ban_refusals") SELECT value->>'subject', CAST(value->>'day' AS BIGINT), CAST(value->>'dayCount' AS BIGINT), CAST(value->>'banUntilMs' AS BIGINT), CAST(value->>'banMs' AS BIGINT), CAST(value->>'banRefusals' AS BIGINT)
  FROM json_each(?)
  WHERE TRUE
  ON CONFLICT ("subject") DO UPDATE
  SET "day" = excluded."day", "day_count" = excluded."day_count", "ban_until" = excluded."ban_until", "ban_ms" = excluded."ban_ms", "ban_refusals" = excluded."ban_refusals";
SELECT "usage"."subject" AS "subject", "usage"."day" AS "day", "usage"."day_count" AS "dayCount", "usage"."ban_until" AS "banUntilMs", "usage"."ban_ms" AS "banMs", "usage"."ban_refusals" AS "banRefusals"
  FROM "rate_limit_usage" "usage"
  WHERE "usage"."subject" > ? AND ("usage"."day" >= ? OR "usage"."ban_until" >= ?)
  ORDER BY "usage"."subject" ASC
  LIMIT 1000;

-- webhook_deliveries

INSERT INTO "webhook_deliveries"("webhook_id", "event_id", "rank", "status", "attempts", "next_attempt_at", "response_status", "problem", "began_at", "ended_at")
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
INSERT INTO "webhook_deliveries" ("webhook_id", "event_id", "rank", "status", "attempts", "next_attempt_at", "began_at") SELECT webhook.value, event.value, CAST(? AS integer), 'pending', 0, CAST(? AS bigint), CAST(? AS bigint)
  FROM json_each(?) AS event CROSS JOIN json_each(?) AS webhook;
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."id" = ?;
UPDATE "webhook_deliveries"
  SET "rank" = ?, "status" = ?, "attempts" = ?, "next_attempt_at" = ?, "response_status" = ?, "problem" = ?, "ended_at" = ?
  WHERE "id" = ? AND "began_at" = ?;
UPDATE "webhook_deliveries"
  SET "rank" = ?, "status" = ?, "attempts" = ?, "next_attempt_at" = ?, "response_status" = ?, "problem" = ?, "ended_at" = ?, "began_at" = ?
  WHERE "id" = ?;
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = ?
  ORDER BY "delivery"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = ? AND "delivery"."status" = ?
  ORDER BY "delivery"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = ? AND ("delivery"."id") > (?)
  ORDER BY "delivery"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = ? AND "delivery"."status" = ? AND ("delivery"."id") > (?)
  ORDER BY "delivery"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = ?
  ORDER BY "delivery"."id" DESC
  LIMIT CAST(? AS INTEGER);
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = ? AND "delivery"."status" = ?
  ORDER BY "delivery"."id" DESC
  LIMIT CAST(? AS INTEGER);
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = ? AND ("delivery"."id") < (?)
  ORDER BY "delivery"."id" DESC
  LIMIT CAST(? AS INTEGER);
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = ? AND "delivery"."status" = ? AND ("delivery"."id") < (?)
  ORDER BY "delivery"."id" DESC
  LIMIT CAST(? AS INTEGER);
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = ? AND "delivery"."rank" = ? AND "delivery"."next_attempt_at" <= ?
  ORDER BY "delivery"."next_attempt_at" ASC, "delivery"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT *
  FROM (SELECT "rank" AS "rank", "next_attempt_at" AS "nextAttemptAtMs"
  FROM "webhook_deliveries"
  WHERE "webhook_id" = ? AND "rank" = 0 AND "next_attempt_at" IS NOT NULL
  ORDER BY "next_attempt_at"
  LIMIT 1) AS of_rank_0
  UNION ALL SELECT *
  FROM (SELECT "rank" AS "rank", "next_attempt_at" AS "nextAttemptAtMs"
  FROM "webhook_deliveries"
  WHERE "webhook_id" = ? AND "rank" = 1 AND "next_attempt_at" IS NOT NULL
  ORDER BY "next_attempt_at"
  LIMIT 1) AS of_rank_1
  UNION ALL SELECT *
  FROM (SELECT "rank" AS "rank", "next_attempt_at" AS "nextAttemptAtMs"
  FROM "webhook_deliveries"
  WHERE "webhook_id" = ? AND "rank" = 2 AND "next_attempt_at" IS NOT NULL
  ORDER BY "next_attempt_at"
  LIMIT 1) AS of_rank_2;
UPDATE "webhook_deliveries"
  SET "status" = 'failed', "next_attempt_at" = NULL, "problem" = ?, "ended_at" = ?
  WHERE "id" IN (SELECT "id"
  FROM "webhook_deliveries"
  WHERE "webhook_id" = ? AND "status" = 'pending' AND "began_at" <= ?
  ORDER BY "id"
  LIMIT 200)
  RETURNING "id" AS "id";
DELETE FROM "webhook_deliveries"
  WHERE ("id") IN (SELECT "id"
  FROM "webhook_deliveries"
  WHERE ("ended_at") >= (?) AND "ended_at" <= ?
  ORDER BY "ended_at"
  LIMIT ?)
  RETURNING "ended_at" AS "endedAtMs";

-- webhook_subscriptions

SELECT "subscription"."webhook_id" AS "webhookId"
  FROM "webhook_subscriptions" "subscription"
  WHERE "subscription"."event" = ? AND "subscription"."audience" = ? AND "subscription"."webhook_id" > ?
  ORDER BY "subscription"."webhook_id" ASC
  LIMIT CAST(? AS INTEGER);

-- webhooks

INSERT INTO "webhooks"("account", "url", "events", "secrets", "created_at", "made_by", "created_by", "status", "pending", "paused_until", "failures", "failing_since", "refused_since", "disabled_at", "disabled_reason")
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."url" AS "url", "webhook"."events" AS "events", "webhook"."secrets" AS "secrets", "webhook"."created_at" AS "createdAtMs", "webhook"."made_by" AS "createdBy", "webhook"."created_by" AS "ownerKey", "webhook"."status" AS "status", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs", "webhook"."failures" AS "failures", "webhook"."failing_since" AS "failingSinceMs", "webhook"."refused_since" AS "refusedSinceMs", "webhook"."disabled_at" AS "disabledAtMs", "webhook"."disabled_reason" AS "disabledReason"
  FROM "webhooks" "webhook"
  WHERE "webhook"."account" = ? AND "webhook"."id" = ?;
UPDATE "webhooks"
  SET "made_by" = ?, "created_by" = ?, "secrets" = ?, "status" = ?, "pending" = ?, "paused_until" = ?, "failures" = ?, "failing_since" = ?, "refused_since" = ?, "disabled_at" = ?, "disabled_reason" = ?
  WHERE "id" = ?;
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."url" AS "url", "webhook"."events" AS "events", "webhook"."secrets" AS "secrets", "webhook"."created_at" AS "createdAtMs", "webhook"."made_by" AS "createdBy", "webhook"."created_by" AS "ownerKey", "webhook"."status" AS "status", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs", "webhook"."failures" AS "failures", "webhook"."failing_since" AS "failingSinceMs", "webhook"."refused_since" AS "refusedSinceMs", "webhook"."disabled_at" AS "disabledAtMs", "webhook"."disabled_reason" AS "disabledReason"
  FROM "webhooks" "webhook"
  WHERE "webhook"."account" = ?
  ORDER BY "webhook"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."url" AS "url", "webhook"."events" AS "events", "webhook"."secrets" AS "secrets", "webhook"."created_at" AS "createdAtMs", "webhook"."made_by" AS "createdBy", "webhook"."created_by" AS "ownerKey", "webhook"."status" AS "status", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs", "webhook"."failures" AS "failures", "webhook"."failing_since" AS "failingSinceMs", "webhook"."refused_since" AS "refusedSinceMs", "webhook"."disabled_at" AS "disabledAtMs", "webhook"."disabled_reason" AS "disabledReason"
  FROM "webhooks" "webhook"
  WHERE "webhook"."account" = ? AND ("webhook"."id") > (?)
  ORDER BY "webhook"."id" ASC
  LIMIT CAST(? AS INTEGER);
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."url" AS "url", "webhook"."events" AS "events", "webhook"."secrets" AS "secrets", "webhook"."created_at" AS "createdAtMs", "webhook"."made_by" AS "createdBy", "webhook"."created_by" AS "ownerKey", "webhook"."status" AS "status", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs", "webhook"."failures" AS "failures", "webhook"."failing_since" AS "failingSinceMs", "webhook"."refused_since" AS "refusedSinceMs", "webhook"."disabled_at" AS "disabledAtMs", "webhook"."disabled_reason" AS "disabledReason"
  FROM "webhooks" "webhook"
  WHERE "webhook"."id" = ?;
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs"
  FROM "webhooks" "webhook"
  WHERE "webhook"."id" IN (SELECT value
  FROM json_each(?)) AND "webhook"."status" = 'enabled'
  ORDER BY "webhook"."id" ASC;
UPDATE "webhooks"
  SET "pending" = "pending" + CAST(? AS integer)
  WHERE "id" IN (SELECT value
  FROM json_each(?));

-- == PostgreSQL ==

-- address_lifts

-- grouped
SELECT "lift"."changed_at" AS "changedAtMs"
  FROM "address_lifts" "lift"
  ORDER BY "lift"."changed_at" DESC
  LIMIT 1;
-- grouped
SELECT "lift"."address" AS "subject", "lift"."lifted_at" AS "liftedAtMs", "lift"."changed_at" AS "changedAtMs"
  FROM "address_lifts" "lift"
  WHERE "lift"."changed_at" > $1
  ORDER BY "lift"."changed_at" ASC
  LIMIT $2;
SELECT pg_advisory_xact_lock(hashtextextended('turns of address_lifts', 0));

-- api_keys

INSERT INTO "api_keys"("id", "hash", "name", "account", "scopes", "created_at", "created_by", "expires_at", "revoked_at", "replaced_by", "changed_at", "plan", "per_minute", "per_day", "last_used_day", "suspended_at")
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);
INSERT INTO "api_keys"("id", "hash", "name", "account", "scopes", "created_at", "created_by", "expires_at", "revoked_at", "replaced_by", "changed_at", "plan", "per_minute", "per_day", "last_used_day", "suspended_at") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, value_11, value_12, value_13, value_14, value_15, value_16
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::bigint[], $12::text[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, value_11, value_12, value_13, value_14, value_15, value_16, position)
  ORDER BY position;
-- grouped
SELECT "key"."changed_at" AS "changedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."changed_at" IS NOT NULL
  ORDER BY "key"."changed_at" DESC
  LIMIT 1;
-- grouped
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."changed_at" > $1
  ORDER BY "key"."changed_at" ASC
  LIMIT $2;
SELECT pg_advisory_xact_lock(hashtextextended('turns of api_keys', 0));
-- grouped
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."id" = $1;
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."id" = ANY ($1) FOR UPDATE;
-- grouped
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."hash" = $1;
SELECT "key"."id" AS "id", "key"."hash" AS "hash", "key"."name" AS "name", "key"."account" AS "account", "key"."scopes" AS "scopes", "key"."created_at" AS "createdAtMs", "key"."created_by" AS "createdBy", "key"."expires_at" AS "expiresAtMs", "key"."revoked_at" AS "revokedAtMs", "key"."replaced_by" AS "replacedBy", "key"."changed_at" AS "changedAtMs", "key"."plan" AS "plan", "key"."per_minute" AS "perMinute", "key"."per_day" AS "perDay", "key"."last_used_day" AS "lastUsedDay", "key"."suspended_at" AS "suspendedAtMs"
  FROM "api_keys" "key"
  WHERE "key"."hash" = ANY ($1);
-- excepted: `keys list` filters in the process of the command line.
SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM "api_keys"
  WHERE ("created_at", "id") > ($1, $2) AND (CAST($3 AS TEXT) IS NULL OR "plan" = $3) AND (CAST($4 AS TEXT) IS NULL OR "account" = $4) AND (CAST($5 AS BIGINT) IS NULL OR ("revoked_at" IS NULL AND ("expires_at" IS NULL OR "expires_at" > $5))) AND (CAST($6 AS BIGINT) IS NULL OR COALESCE("last_used_day", "created_at" / 86400000) < $6)
  ORDER BY "created_at", "id"
  LIMIT 1000;
-- grouped
SELECT "key"."id" AS "id"
  FROM "api_keys" "key"
  WHERE "key"."account" = $1
  LIMIT 1;
-- excepted: It sorts the active or the suspended keys of an account, which an index finds.
WITH active AS MATERIALIZED (SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM "api_keys"
  WHERE "account" = $1 AND "revoked_at" IS NULL AND "expires_at" IS NULL
  UNION ALL SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM "api_keys"
  WHERE "account" = $1 AND "revoked_at" IS NULL AND "expires_at" > $2) SELECT *
  FROM active
  WHERE "id" > $3
  ORDER BY "id"
  LIMIT $4;
SELECT (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "api_keys"
  WHERE "account" = $1 AND "revoked_at" IS NULL AND "expires_at" IS NULL
  LIMIT $2) AS counted) AS "lasting", (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "api_keys"
  WHERE "account" = $1 AND "revoked_at" IS NULL AND "expires_at" > $3
  LIMIT $2) AS counted) AS "ending", (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "api_keys"
  WHERE "account" = $1 AND "created_at" > $4
  LIMIT $2) AS counted) AS "recent";
WITH RECURSIVE made AS (SELECT *
  FROM "api_keys"
  WHERE "created_by" = $1
  UNION ALL SELECT child.*
  FROM made, LATERAL (SELECT *
  FROM "api_keys"
  WHERE "created_by" = made.id OFFSET 0) AS child) SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM made
  WHERE "revoked_at" IS NULL AND ("expires_at" IS NULL OR "expires_at" > $2);
-- grouped
SELECT "key"."id" AS "id"
  FROM "api_keys" "key"
  WHERE "key"."account" = $1 AND "key"."suspended_at" IS NOT NULL
  LIMIT 1;
-- excepted: It sorts the active or the suspended keys of an account, which an index finds.
SELECT "id" AS "id", "hash" AS "hash", "name" AS "name", "account" AS "account", "scopes" AS "scopes", "created_at" AS "createdAtMs", "created_by" AS "createdBy", "expires_at" AS "expiresAtMs", "revoked_at" AS "revokedAtMs", "replaced_by" AS "replacedBy", "changed_at" AS "changedAtMs", "plan" AS "plan", "per_minute" AS "perMinute", "per_day" AS "perDay", "last_used_day" AS "lastUsedDay", "suspended_at" AS "suspendedAtMs"
  FROM "api_keys"
  WHERE "account" = $1 AND "suspended_at" IS NOT NULL AND "id" > $2
  ORDER BY "id"
  LIMIT $3;
-- grouped
SELECT "key"."id" AS "id"
  FROM "api_keys" "key"
  LIMIT 1;
UPDATE "api_keys"
  SET "last_used_day" = $1
  WHERE "id" = ANY ($2) AND ("last_used_day" IS NULL OR "last_used_day" < $1);
UPDATE "api_keys"
  SET "plan" = $1, "per_minute" = $2, "per_day" = $3, "expires_at" = $4, "revoked_at" = $5, "replaced_by" = $6, "suspended_at" = $7, "changed_at" = $8
  WHERE "id" = $9;
UPDATE "api_keys"
  SET "plan" = value_1, "per_minute" = value_2, "per_day" = value_3, "expires_at" = value_4, "revoked_at" = value_5, "replaced_by" = value_6, "suspended_at" = value_7, "changed_at" = value_8
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::text[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, position)
  WHERE "api_keys"."id" = value_9 AND "api_keys"."id" = ANY($9);

-- deprecated_calls

INSERT INTO "deprecated_calls" ("day", "operation", "key_id", "account", "calls") SELECT CAST(value->>'day' AS BIGINT), value->>'operation', value->>'keyId', value->>'account', CAST(value->>'calls' AS BIGINT)
  FROM json_array_elements($1::json)
  WHERE TRUE
  ON CONFLICT ("day", "operation", "key_id") DO UPDATE
  SET "calls" = "deprecated_calls"."calls" + excluded."calls";
DELETE FROM "deprecated_calls"
  WHERE ctid = ANY (ARRAY(SELECT ctid
  FROM "deprecated_calls"
  WHERE ("day") >= ($1) AND "day" < $2
  ORDER BY "day"
  LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING "day" AS "day";

-- event_interests

-- grouped
SELECT "interest"."changed_at" AS "changedAtMs"
  FROM "event_interests" "interest"
  ORDER BY "interest"."changed_at" DESC
  LIMIT 1;
-- grouped
SELECT "interest"."event" AS "event", "interest"."audience" AS "audience", "interest"."webhooks" AS "webhooks", "interest"."changed_at" AS "changedAtMs"
  FROM "event_interests" "interest"
  WHERE "interest"."changed_at" > $1
  ORDER BY "interest"."changed_at" ASC
  LIMIT $2;
SELECT pg_advisory_xact_lock(hashtextextended('turns of event_interests', 0));
INSERT INTO "event_interests" ("event", "audience", "webhooks", "changed_at")
  VALUES ($1, $2, CAST($3 AS integer), CAST($4 AS bigint))
  ON CONFLICT ("event", "audience") DO UPDATE
  SET "webhooks" = "event_interests"."webhooks" + excluded."webhooks", "changed_at" = excluded."changed_at";

-- events

INSERT INTO "events"("event_id", "type", "audience", "body", "created_at", "told_up_to", "cause")
  VALUES ($1, $2, $3, $4, $5, $6, $7);
INSERT INTO "events"("event_id", "type", "audience", "body", "created_at", "told_up_to", "cause") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, position)
  ORDER BY position;
-- grouped
SELECT "event"."id" AS "id", "event"."event_id" AS "eventId", "event"."type" AS "type", "event"."audience" AS "audience", "event"."body" AS "body", "event"."created_at" AS "createdAtMs", "event"."told_up_to" AS "fannedOutUpTo", "event"."cause" AS "cause"
  FROM "events" "event"
  WHERE "event"."event_id" = $1;
-- grouped
SELECT "event"."id" AS "id", "event"."event_id" AS "eventId", "event"."type" AS "type", "event"."audience" AS "audience", "event"."body" AS "body", "event"."created_at" AS "createdAtMs", "event"."told_up_to" AS "fannedOutUpTo", "event"."cause" AS "cause"
  FROM "events" "event"
  WHERE "event"."audience" = $1 AND "event"."type" = $2 AND "event"."type" BETWEEN $2 AND $2 AND "event"."created_at" <= $3
  ORDER BY "event"."id" ASC
  LIMIT $4;
-- grouped
SELECT "event"."id" AS "id", "event"."event_id" AS "eventId", "event"."type" AS "type", "event"."audience" AS "audience", "event"."body" AS "body", "event"."created_at" AS "createdAtMs", "event"."told_up_to" AS "fannedOutUpTo", "event"."cause" AS "cause"
  FROM "events" "event"
  WHERE "event"."audience" = $1 AND "event"."type" = $2 AND "event"."type" BETWEEN $2 AND $2 AND "event"."created_at" <= $3 AND ("event"."id") > ($4)
  ORDER BY "event"."id" ASC
  LIMIT $5;
WITH RECURSIVE walk(audience, step) AS (SELECT (SELECT "audience"
  FROM "events"
  WHERE "told_up_to" IS NOT NULL AND "audience" > $1
  ORDER BY "audience"
  LIMIT 1), 1
  UNION ALL SELECT (SELECT "audience"
  FROM "events"
  WHERE "told_up_to" IS NOT NULL AND "audience" > walk.audience
  ORDER BY "audience"
  LIMIT 1), step + 1
  FROM walk
  WHERE walk.audience IS NOT NULL AND step < $2) SELECT walk.audience AS "audience"
  FROM walk
  WHERE walk.audience IS NOT NULL
  UNION ALL SELECT ''
  WHERE EXISTS (SELECT 1
  FROM "events"
  WHERE "told_up_to" IS NOT NULL AND "audience" = '');
SELECT "id" AS "id", "type" AS "type", "told_up_to" AS "fannedOutUpTo"
  FROM "events"
  WHERE "audience" = $1 AND "told_up_to" IS NOT NULL
  ORDER BY "id"
  LIMIT CAST($2 AS bigint) FOR UPDATE SKIP LOCKED;
UPDATE "events"
  SET "told_up_to" = CAST($1 AS bigint)
  WHERE "id" = ANY ($2);
INSERT INTO "events"("event_id", "type", "audience", "body", "created_at", "told_up_to", "cause") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, position)
  ORDER BY position
  RETURNING "id" AS "id";
INSERT INTO "events"("event_id", "type", "audience", "body", "created_at", "told_up_to", "cause")
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  RETURNING "id" AS "id";
SELECT nextval((SELECT pg_get_serial_sequence('"events"', 'id')::regclass)) AS "id"
  FROM generate_series(1, $1);
INSERT INTO "events"("id", "event_id", "type", "audience", "body", "created_at", "told_up_to", "cause")
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8);
INSERT INTO "events"("id", "event_id", "type", "audience", "body", "created_at", "told_up_to", "cause") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, position)
  ORDER BY position;
SELECT "event"."id" AS "id", "event"."event_id" AS "eventId", "event"."type" AS "type", "event"."audience" AS "audience", "event"."body" AS "body", "event"."created_at" AS "createdAtMs", "event"."told_up_to" AS "fannedOutUpTo", "event"."cause" AS "cause"
  FROM "events" "event"
  WHERE "event"."id" = ANY ($1);
DELETE FROM "events"
  WHERE ctid = ANY (ARRAY(SELECT ctid
  FROM "events"
  WHERE ("created_at") >= ($1) AND "created_at" <= $2
  ORDER BY "created_at"
  LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING "created_at" AS "createdAtMs";

-- idempotency_records

-- grouped
SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isLocked", CAST(extract(epoch
  FROM clock_timestamp()) * 1000 AS bigint) AS "nowMs";
SELECT CAST(extract(epoch
  FROM clock_timestamp()) * 1000 AS bigint) AS "nowMs";
-- grouped
SELECT "record"."fingerprint" AS "fingerprint", "record"."status" AS "status", "record"."headers" AS "headers", "record"."body" AS "body", "record"."created_at" AS "createdAtMs"
  FROM "idempotency_records" "record"
  WHERE "record"."api_key_id" = $1 AND "record"."idempotency_key" = $2;
INSERT INTO "idempotency_records"("api_key_id", "idempotency_key", "fingerprint", "body", "headers", "created_at", "status")
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT ( "api_key_id", "idempotency_key" ) DO UPDATE
  SET "fingerprint" = EXCLUDED."fingerprint", "body" = EXCLUDED."body", "headers" = EXCLUDED."headers", "created_at" = EXCLUDED."created_at", "status" = EXCLUDED."status";
INSERT INTO "idempotency_records"("api_key_id", "idempotency_key", "fingerprint", "body", "headers", "created_at", "status") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::integer[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, position)
  ORDER BY position
  ON CONFLICT ( "api_key_id", "idempotency_key" ) DO UPDATE
  SET "fingerprint" = EXCLUDED."fingerprint", "body" = EXCLUDED."body", "headers" = EXCLUDED."headers", "created_at" = EXCLUDED."created_at", "status" = EXCLUDED."status";
DELETE FROM "idempotency_records"
  WHERE ctid = ANY (ARRAY(SELECT ctid
  FROM "idempotency_records"
  WHERE ("created_at") >= ($1) AND "created_at" <= CAST(extract(epoch
  FROM now()) * 1000 AS bigint) - $2
  ORDER BY "created_at"
  LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING "created_at" AS "createdAtMs";

-- job_schedules

SELECT pg_advisory_xact_lock(hashtextextended('turns of job_schedules', 0));

-- jobs

INSERT INTO "jobs"("kind", "subject", "payload", "state", "due_at", "tries", "tries_left", "created_at")
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8);
INSERT INTO "jobs"("kind", "subject", "payload", "state", "due_at", "tries", "tries_left", "created_at") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::integer[], $7::integer[], $8::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, position)
  ORDER BY position;
INSERT INTO "jobs" ("kind", "subject", "open_subject", "payload", "state", "due_at", "created_at", "tries", "tries_left") SELECT CAST($1 AS text), given.subject, given.subject, given.payload, CAST($2 AS text), CAST($3 AS bigint), CAST($4 AS bigint), 0, CAST($5 AS integer)
  FROM unnest(CAST($6 AS text[]), CAST($7 AS text[])) AS given(subject, payload)
  WHERE TRUE
  ON CONFLICT ("kind", "open_subject")
  WHERE "ended_at" IS NULL DO UPDATE
  SET "state" = CASE WHEN "jobs"."state" = 'delayed' THEN excluded."state" ELSE "jobs"."state" END, "due_at" = CASE WHEN "jobs"."state" = 'delayed' THEN excluded."due_at" ELSE "jobs"."due_at" END, "again_at" = CASE WHEN "jobs"."state" = 'delayed' THEN NULL ELSE excluded."due_at" END
  WHERE ("jobs"."state" = 'delayed' AND excluded."due_at" < "jobs"."due_at") OR ("jobs"."state" = 'running' AND ("jobs"."again_at" IS NULL OR excluded."due_at" < "jobs"."again_at"));
UPDATE "jobs"
  SET "state" = CASE WHEN "state" = 'waiting' THEN 'waiting' ELSE 'delayed' END, "due_at" = CASE WHEN "state" = 'delayed' AND "due_at" < "again_at" THEN "due_at" ELSE "again_at" END, "again_at" = NULL, "ended_at" = NULL, "tries_left" = CASE WHEN "tries_left" = 0 THEN -1 ELSE "tries_left" END
  WHERE "id" = ANY ($1) AND "again_at" IS NOT NULL AND "state" <> 'running';
-- grouped
SELECT "job"."id" AS "id"
  FROM "jobs" "job"
  WHERE "job"."kind" = $1 AND "job"."open_subject" = $2 AND "job"."ended_at" IS NULL;
UPDATE "jobs"
  SET "state" = $1, "due_at" = $2, "tries_left" = $3, "ended_at" = $4, "problem" = $5
  WHERE "id" = $6 AND "tries" = $7 AND "state" = 'running';
UPDATE "jobs"
  SET "state" = value_1, "due_at" = value_2, "tries_left" = value_3, "ended_at" = value_4, "problem" = value_5
  FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::bigint[], $5::text[], $6::bigint[], $7::integer[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, position)
  WHERE "jobs"."id" = value_6 AND "jobs"."id" = ANY($6) AND "jobs"."tries" = value_7 AND "jobs"."tries" = ANY($7) AND "state" = 'running';
UPDATE "jobs"
  SET "state" = $1, "due_at" = $2, "tries_left" = $3, "ended_at" = $4, "problem" = $5
  WHERE "id" = $6;
UPDATE "jobs"
  SET "state" = value_1, "due_at" = value_2, "tries_left" = value_3, "ended_at" = value_4, "problem" = value_5
  FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::bigint[], $5::text[], $6::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, position)
  WHERE "jobs"."id" = value_6 AND "jobs"."id" = ANY($6);
SELECT given.value AS kind, (SELECT "due_at"
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'waiting' AND "ended_at" IS NULL
  ORDER BY "due_at", "id"
  LIMIT 1) AS waiting, (SELECT "due_at"
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'delayed' AND "ended_at" IS NULL
  ORDER BY "due_at", "id"
  LIMIT 1) AS delayed, (SELECT "due_at"
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'running' AND "ended_at" IS NULL
  ORDER BY "due_at", "id"
  LIMIT 1) AS running, CAST(EXTRACT(epoch
  FROM clock_timestamp()) * 1000 AS bigint) AS "nowMs"
  FROM unnest($1::text[]) AS given(value);
WITH RECURSIVE open_kinds(kind) AS (SELECT (SELECT "kind"
  FROM "jobs"
  WHERE "kind" > $1 AND "ended_at" IS NULL
  ORDER BY "kind"
  LIMIT 1)
  UNION ALL SELECT (SELECT "kind"
  FROM "jobs"
  WHERE "kind" > open_kinds.kind AND "ended_at" IS NULL
  ORDER BY "kind"
  LIMIT 1)
  FROM open_kinds
  WHERE open_kinds.kind IS NOT NULL), failed_kinds(kind) AS (SELECT (SELECT "kind"
  FROM "jobs"
  WHERE "kind" > $1 AND "state" = 'failed'
  ORDER BY "kind"
  LIMIT 1)
  UNION ALL SELECT (SELECT "kind"
  FROM "jobs"
  WHERE "kind" > failed_kinds.kind AND "state" = 'failed'
  ORDER BY "kind"
  LIMIT 1)
  FROM failed_kinds
  WHERE failed_kinds.kind IS NOT NULL) SELECT kind
  FROM open_kinds
  WHERE kind IS NOT NULL
  UNION ALL SELECT kind
  FROM failed_kinds
  WHERE kind IS NOT NULL;
-- excepted: It counts at most 10000 of each.
SELECT given.value AS kind, 'waiting' AS state, (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'waiting' AND "ended_at" IS NULL
  LIMIT 10000) AS counted) AS count
  FROM unnest($1::text[]) AS given(value)
  UNION ALL SELECT given.value AS kind, 'delayed' AS state, (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'delayed' AND "ended_at" IS NULL
  LIMIT 10000) AS counted) AS count
  FROM unnest($1::text[]) AS given(value)
  UNION ALL SELECT given.value AS kind, 'running' AS state, (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'running' AND "ended_at" IS NULL
  LIMIT 10000) AS counted) AS count
  FROM unnest($1::text[]) AS given(value)
  UNION ALL SELECT given.value AS kind, 'failed' AS state, (SELECT COUNT(*)
  FROM (SELECT 1
  FROM "jobs"
  WHERE "kind" = given.value AND "state" = 'failed'
  LIMIT 10000) AS counted) AS count
  FROM unnest($1::text[]) AS given(value);
-- grouped
-- excepted: Only the command line reads it, on a connection of its own.
SELECT "job"."id" AS "id", "job"."kind" AS "kind", "job"."subject" AS "subject", "job"."payload" AS "payload", "job"."state" AS "state", "job"."due_at" AS "dueAtMs", "job"."tries" AS "attempts", "job"."tries_left" AS "attemptsLeft", "job"."created_at" AS "createdAtMs", "job"."ended_at" AS "endedAtMs", "job"."problem" AS "problem", "job"."open_subject" AS "openSubject", "job"."again_at" AS "againAtMs"
  FROM "jobs" "job"
  WHERE ($1 = '' OR "job"."kind" = $1) AND ($2 = '' OR "job"."state" = $2)
  ORDER BY "job"."id" DESC
  LIMIT $3;
-- grouped
SELECT "job"."id" AS "id", "job"."kind" AS "kind", "job"."subject" AS "subject", "job"."payload" AS "payload", "job"."state" AS "state", "job"."due_at" AS "dueAtMs", "job"."tries" AS "attempts", "job"."tries_left" AS "attemptsLeft", "job"."created_at" AS "createdAtMs", "job"."ended_at" AS "endedAtMs", "job"."problem" AS "problem", "job"."open_subject" AS "openSubject", "job"."again_at" AS "againAtMs"
  FROM "jobs" "job"
  WHERE "job"."id" = $1;
-- grouped
SELECT "job"."id" AS "id", "job"."kind" AS "kind", "job"."subject" AS "subject", "job"."payload" AS "payload", "job"."state" AS "state", "job"."due_at" AS "dueAtMs", "job"."tries" AS "attempts", "job"."tries_left" AS "attemptsLeft", "job"."created_at" AS "createdAtMs", "job"."ended_at" AS "endedAtMs", "job"."problem" AS "problem", "job"."open_subject" AS "openSubject", "job"."again_at" AS "againAtMs"
  FROM "jobs" "job"
  WHERE "job"."id" = $1 FOR UPDATE;
WITH claimed AS MATERIALIZED (SELECT "id"
  FROM "jobs"
  WHERE "kind" = $1 AND "state" = 'waiting' AND "ended_at" IS NULL AND TRUE
  ORDER BY "due_at", "id"
  LIMIT CAST($2 AS bigint) FOR UPDATE SKIP LOCKED) UPDATE "jobs" AS job
  SET "state" = 'running', "due_at" = COALESCE(CAST($3 AS bigint), CAST(EXTRACT(epoch
  FROM clock_timestamp()) * 1000 AS bigint)) + CAST($4 AS bigint), "tries" = "tries" + 1, "tries_left" = CASE WHEN "tries_left" = -1 THEN CAST($5 AS integer) ELSE "tries_left" END - 1
  WHERE job."id" = ANY (ARRAY(SELECT *
  FROM claimed))
  RETURNING "id" AS "id", "kind" AS "kind", "subject" AS "subject", "payload" AS "payload", "tries" AS "attempts", "tries_left" AS "attemptsLeft";
WITH claimed AS MATERIALIZED (SELECT "id"
  FROM "jobs"
  WHERE "kind" = $1 AND "state" = 'delayed' AND "ended_at" IS NULL AND "due_at" <= $2
  ORDER BY "due_at", "id"
  LIMIT CAST($3 AS bigint) FOR UPDATE SKIP LOCKED) UPDATE "jobs" AS job
  SET "state" = 'waiting'
  WHERE job."id" = ANY (ARRAY(SELECT *
  FROM claimed))
  RETURNING "id" AS "id", "kind" AS "kind", "subject" AS "subject", "payload" AS "payload", "tries" AS "attempts", "tries_left" AS "attemptsLeft";
WITH claimed AS MATERIALIZED (SELECT "id"
  FROM "jobs"
  WHERE "kind" = $1 AND "state" = 'running' AND "ended_at" IS NULL AND "due_at" <= $2 AND "id" <> ALL ($3)
  ORDER BY "due_at", "id"
  LIMIT CAST($4 AS bigint) FOR UPDATE SKIP LOCKED) UPDATE "jobs" AS job
  SET "state" = CASE WHEN "tries_left" = 0 THEN 'failed' ELSE 'waiting' END, "ended_at" = CASE WHEN "tries_left" = 0 THEN CAST($2 AS bigint) END, "problem" = 'Its lease has expired.'
  WHERE job."id" = ANY (ARRAY(SELECT *
  FROM claimed))
  RETURNING "id" AS "id", "kind" AS "kind", "subject" AS "subject", "payload" AS "payload", "tries" AS "attempts", "tries_left" AS "attemptsLeft";
UPDATE "jobs"
  SET "due_at" = COALESCE(CAST($1 AS bigint), CAST(EXTRACT(epoch
  FROM clock_timestamp()) * 1000 AS bigint)) + CAST($2 AS bigint)
  WHERE "id" = ANY ($3) AND "state" = 'running'
  RETURNING "id" AS "id", "kind" AS "kind", "subject" AS "subject", "payload" AS "payload", "tries" AS "attempts", "tries_left" AS "attemptsLeft";
DELETE FROM "jobs"
  WHERE ctid = ANY (ARRAY(SELECT ctid
  FROM "jobs"
  WHERE ("ended_at") >= ($1) AND "state" IN ('done', 'cancelled') AND "ended_at" <= $2
  ORDER BY "ended_at"
  LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING "ended_at" AS "endedAtMs";

-- orders

INSERT INTO "orders"("account", "pet_id", "status", "placed_at", "updated_at") SELECT value_1, value_2, value_3, value_4, value_5
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, position)
  ORDER BY position
  RETURNING "id" AS "id";
INSERT INTO "orders"("account", "pet_id", "status", "placed_at", "updated_at")
  VALUES ($1, $2, $3, $4, $5)
  RETURNING "id" AS "id";
SELECT nextval((SELECT pg_get_serial_sequence('"orders"', 'id')::regclass)) AS "id"
  FROM generate_series(1, $1);
INSERT INTO "orders"("id", "account", "pet_id", "status", "placed_at", "updated_at")
  VALUES ($1, $2, $3, $4, $5, $6);
INSERT INTO "orders"("id", "account", "pet_id", "status", "placed_at", "updated_at") SELECT value_1, value_2, value_3, value_4, value_5, value_6
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, position)
  ORDER BY position;
-- grouped
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."id" = $2;
-- grouped
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."id" = $2 FOR UPDATE;
UPDATE "orders"
  SET "status" = $1, "updated_at" = $2
  WHERE "id" = $3;
UPDATE "orders"
  SET "status" = value_1, "updated_at" = value_2
  FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, position)
  WHERE "orders"."id" = value_3 AND "orders"."id" = ANY($3);
-- grouped
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."account" BETWEEN $1 AND $1
  ORDER BY "order"."id" ASC
  LIMIT $2;
-- grouped
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."status" = $2 AND "order"."status" BETWEEN $2 AND $2
  ORDER BY "order"."id" ASC
  LIMIT $3;
-- grouped
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."account" BETWEEN $1 AND $1 AND ("order"."id") > ($2)
  ORDER BY "order"."id" ASC
  LIMIT $3;
-- grouped
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."status" = $2 AND "order"."status" BETWEEN $2 AND $2 AND ("order"."id") > ($3)
  ORDER BY "order"."id" ASC
  LIMIT $4;
(SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."status" = $2 AND "order"."status" BETWEEN $2 AND $2
  ORDER BY "id" ASC
  LIMIT $3)
  UNION ALL (SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."status" = $4 AND "order"."status" BETWEEN $4 AND $4
  ORDER BY "id" ASC
  LIMIT $3)
  UNION ALL (SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."status" = $5 AND "order"."status" BETWEEN $5 AND $5
  ORDER BY "id" ASC
  LIMIT $3)
  ORDER BY "id" ASC
  LIMIT $3;
(SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."status" = $2 AND "order"."status" BETWEEN $2 AND $2 AND ("order"."id") > ($3)
  ORDER BY "id" ASC
  LIMIT $4)
  UNION ALL (SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."status" = $5 AND "order"."status" BETWEEN $5 AND $5 AND ("order"."id") > ($3)
  ORDER BY "id" ASC
  LIMIT $4)
  UNION ALL (SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."account" = $1 AND "order"."status" = $6 AND "order"."status" BETWEEN $6 AND $6 AND ("order"."id") > ($3)
  ORDER BY "id" ASC
  LIMIT $4)
  ORDER BY "id" ASC
  LIMIT $4;
-- grouped
SELECT "order"."id" AS "id", "order"."account" AS "account", "order"."pet_id" AS "petId", "order"."status" AS "status", "order"."placed_at" AS "placedAtMs", "order"."updated_at" AS "updatedAtMs"
  FROM "orders" "order"
  WHERE "order"."status" = 'placed' AND "order"."placed_at" < $1 AND ("order"."placed_at", "order"."id") > ($2, $3)
  ORDER BY "order"."placed_at" ASC, "order"."id" ASC
  LIMIT $4;

-- pets

INSERT INTO "pets"("name", "category_id", "status") SELECT value_1, value_2, value_3
  FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS item(value_1, value_2, value_3, position)
  ORDER BY position
  RETURNING "id" AS "id";
INSERT INTO "pets"("name", "category_id", "status")
  VALUES ($1, $2, $3)
  RETURNING "id" AS "id";
SELECT nextval((SELECT pg_get_serial_sequence('"pets"', 'id')::regclass)) AS "id"
  FROM generate_series(1, $1);
INSERT INTO "pets"("id", "name", "category_id", "status")
  VALUES ($1, $2, $3, $4);
INSERT INTO "pets"("id", "name", "category_id", "status") SELECT value_1, value_2, value_3, value_4
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, position)
  ORDER BY position;
-- grouped
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  WHERE "pet"."id" = $1;
-- grouped
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  WHERE "pet"."id" = $1 FOR UPDATE;
UPDATE "pets"
  SET "status" = $1
  WHERE "id" = $2;
UPDATE "pets"
  SET "status" = value_1
  FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS item(value_1, value_2, position)
  WHERE "pets"."id" = value_2 AND "pets"."id" = ANY($2);
-- grouped
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  ORDER BY "pet"."id" ASC
  LIMIT $1;
-- grouped
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  WHERE "pet"."status" = $1 AND "pet"."status" BETWEEN $1 AND $1
  ORDER BY "pet"."id" ASC
  LIMIT $2;
-- grouped
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  WHERE ("pet"."id") > ($1)
  ORDER BY "pet"."id" ASC
  LIMIT $2;
-- grouped
SELECT "pet"."id" AS "id", "pet"."name" AS "name", "pet"."category_id" AS "categoryId", "pet"."status" AS "status"
  FROM "pets" "pet"
  WHERE "pet"."status" = $1 AND "pet"."status" BETWEEN $1 AND $1 AND ("pet"."id") > ($2)
  ORDER BY "pet"."id" ASC
  LIMIT $3;

-- rate_limit_usage

SELECT "usage"."subject" AS "subject", "usage"."day" AS "day", "usage"."day_count" AS "dayCount", "usage"."ban_until" AS "banUntilMs", "usage"."ban_ms" AS "banMs", "usage"."ban_refusals" AS "banRefusals"
  FROM "rate_limit_usage" "usage"
  WHERE "usage"."subject" = ANY ($1);
-- grouped
SELECT "usage"."subject" AS "subject", "usage"."day" AS "day", "usage"."day_count" AS "dayCount", "usage"."ban_until" AS "banUntilMs", "usage"."ban_ms" AS "banMs", "usage"."ban_refusals" AS "banRefusals"
  FROM "rate_limit_usage" "usage"
  WHERE "usage"."ban_until" > $1;
DELETE FROM "rate_limit_usage"
  WHERE ctid = ANY (ARRAY(SELECT ctid
  FROM "rate_limit_usage"
  WHERE ("day", "subject") >= ($1, $2) AND "day" < $3 AND "ban_until" < $4
  ORDER BY "day", "subject"
  LIMIT $5 FOR UPDATE SKIP LOCKED))
  RETURNING "day" AS "day", "subject" AS "subject";
INSERT INTO "rate_limit_usage" ("subject", "day", "day_count", "ban_until", "ban_ms", "ban_refusals") SELECT value->>'subject', CAST(value->>'day' AS BIGINT), CAST(value->>'dayCount' AS BIGINT), CAST(value->>'banUntilMs' AS BIGINT), CAST(value->>'banMs' AS BIGINT), CAST(value->>'banRefusals' AS BIGINT)
  FROM json_array_elements($1::json)
  WHERE TRUE
  ON CONFLICT ("subject") DO UPDATE
  SET "day" = excluded."day", "day_count" = excluded."day_count", "ban_until" = excluded."ban_until", "ban_ms" = excluded."ban_ms", "ban_refusals" = excluded."ban_refusals";
-- grouped
SELECT "usage"."subject" AS "subject", "usage"."day" AS "day", "usage"."day_count" AS "dayCount", "usage"."ban_until" AS "banUntilMs", "usage"."ban_ms" AS "banMs", "usage"."ban_refusals" AS "banRefusals"
  FROM "rate_limit_usage" "usage"
  WHERE "usage"."subject" > $1 AND ("usage"."day" >= $2 OR "usage"."ban_until" >= $3)
  ORDER BY "usage"."subject" ASC
  LIMIT 1000;

-- webhook_deliveries

INSERT INTO "webhook_deliveries"("webhook_id", "event_id", "rank", "status", "attempts", "next_attempt_at", "response_status", "problem", "began_at", "ended_at") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10
  FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::text[], $5::integer[], $6::bigint[], $7::integer[], $8::text[], $9::bigint[], $10::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, position)
  ORDER BY position
  RETURNING "id" AS "id";
INSERT INTO "webhook_deliveries"("webhook_id", "event_id", "rank", "status", "attempts", "next_attempt_at", "response_status", "problem", "began_at", "ended_at")
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  RETURNING "id" AS "id";
SELECT nextval((SELECT pg_get_serial_sequence('"webhook_deliveries"', 'id')::regclass)) AS "id"
  FROM generate_series(1, $1);
INSERT INTO "webhook_deliveries"("id", "webhook_id", "event_id", "rank", "status", "attempts", "next_attempt_at", "response_status", "problem", "began_at", "ended_at")
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);
INSERT INTO "webhook_deliveries"("id", "webhook_id", "event_id", "rank", "status", "attempts", "next_attempt_at", "response_status", "problem", "began_at", "ended_at") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, value_11
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::text[], $6::integer[], $7::bigint[], $8::integer[], $9::text[], $10::bigint[], $11::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, value_11, position)
  ORDER BY position;
INSERT INTO "webhook_deliveries" ("webhook_id", "event_id", "rank", "status", "attempts", "next_attempt_at", "began_at") SELECT webhook.value, event.value, CAST($1 AS integer), 'pending', 0, CAST($2 AS bigint), CAST($2 AS bigint)
  FROM unnest(CAST($3 AS bigint[])) AS event(value) CROSS JOIN unnest(CAST($4 AS bigint[])) AS webhook(value);
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."id" = $1;
UPDATE "webhook_deliveries"
  SET "rank" = $1, "status" = $2, "attempts" = $3, "next_attempt_at" = $4, "response_status" = $5, "problem" = $6, "ended_at" = $7
  WHERE "id" = $8 AND "began_at" = $9;
UPDATE "webhook_deliveries"
  SET "rank" = value_1, "status" = value_2, "attempts" = value_3, "next_attempt_at" = value_4, "response_status" = value_5, "problem" = value_6, "ended_at" = value_7
  FROM unnest($1::integer[], $2::text[], $3::integer[], $4::bigint[], $5::integer[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, position)
  WHERE "webhook_deliveries"."id" = value_8 AND "webhook_deliveries"."id" = ANY($8) AND "webhook_deliveries"."began_at" = value_9 AND "webhook_deliveries"."began_at" = ANY($9);
UPDATE "webhook_deliveries"
  SET "rank" = $1, "status" = $2, "attempts" = $3, "next_attempt_at" = $4, "response_status" = $5, "problem" = $6, "ended_at" = $7, "began_at" = $8
  WHERE "id" = $9;
UPDATE "webhook_deliveries"
  SET "rank" = value_1, "status" = value_2, "attempts" = value_3, "next_attempt_at" = value_4, "response_status" = value_5, "problem" = value_6, "ended_at" = value_7, "began_at" = value_8
  FROM unnest($1::integer[], $2::text[], $3::integer[], $4::bigint[], $5::integer[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, position)
  WHERE "webhook_deliveries"."id" = value_9 AND "webhook_deliveries"."id" = ANY($9);
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = $1 AND "delivery"."webhook_id" BETWEEN $1 AND $1
  ORDER BY "delivery"."id" ASC
  LIMIT $2;
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = $1 AND "delivery"."status" = $2 AND "delivery"."status" BETWEEN $2 AND $2
  ORDER BY "delivery"."id" ASC
  LIMIT $3;
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = $1 AND "delivery"."webhook_id" BETWEEN $1 AND $1 AND ("delivery"."id") > ($2)
  ORDER BY "delivery"."id" ASC
  LIMIT $3;
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = $1 AND "delivery"."status" = $2 AND "delivery"."status" BETWEEN $2 AND $2 AND ("delivery"."id") > ($3)
  ORDER BY "delivery"."id" ASC
  LIMIT $4;
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = $1 AND "delivery"."webhook_id" BETWEEN $1 AND $1
  ORDER BY "delivery"."id" DESC
  LIMIT $2;
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = $1 AND "delivery"."status" = $2 AND "delivery"."status" BETWEEN $2 AND $2
  ORDER BY "delivery"."id" DESC
  LIMIT $3;
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = $1 AND "delivery"."webhook_id" BETWEEN $1 AND $1 AND ("delivery"."id") < ($2)
  ORDER BY "delivery"."id" DESC
  LIMIT $3;
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = $1 AND "delivery"."status" = $2 AND "delivery"."status" BETWEEN $2 AND $2 AND ("delivery"."id") < ($3)
  ORDER BY "delivery"."id" DESC
  LIMIT $4;
-- grouped
SELECT "delivery"."id" AS "id", "delivery"."webhook_id" AS "webhookId", "delivery"."event_id" AS "eventId", "delivery"."rank" AS "rank", "delivery"."status" AS "status", "delivery"."attempts" AS "attempts", "delivery"."next_attempt_at" AS "nextAttemptAtMs", "delivery"."response_status" AS "responseStatus", "delivery"."problem" AS "problem", "delivery"."began_at" AS "startedAtMs", "delivery"."ended_at" AS "endedAtMs"
  FROM "webhook_deliveries" "delivery"
  WHERE "delivery"."webhook_id" = $1 AND "delivery"."rank" = $2 AND "delivery"."next_attempt_at" <= $3
  ORDER BY "delivery"."next_attempt_at" ASC, "delivery"."id" ASC
  LIMIT $4;
SELECT *
  FROM (SELECT "rank" AS "rank", "next_attempt_at" AS "nextAttemptAtMs"
  FROM "webhook_deliveries"
  WHERE "webhook_id" = $1 AND "rank" = 0 AND "next_attempt_at" IS NOT NULL
  ORDER BY "next_attempt_at"
  LIMIT 1) AS of_rank_0
  UNION ALL SELECT *
  FROM (SELECT "rank" AS "rank", "next_attempt_at" AS "nextAttemptAtMs"
  FROM "webhook_deliveries"
  WHERE "webhook_id" = $1 AND "rank" = 1 AND "next_attempt_at" IS NOT NULL
  ORDER BY "next_attempt_at"
  LIMIT 1) AS of_rank_1
  UNION ALL SELECT *
  FROM (SELECT "rank" AS "rank", "next_attempt_at" AS "nextAttemptAtMs"
  FROM "webhook_deliveries"
  WHERE "webhook_id" = $1 AND "rank" = 2 AND "next_attempt_at" IS NOT NULL
  ORDER BY "next_attempt_at"
  LIMIT 1) AS of_rank_2;
UPDATE "webhook_deliveries"
  SET "status" = 'failed', "next_attempt_at" = NULL, "problem" = $1, "ended_at" = $2
  WHERE "id" = ANY (ARRAY(SELECT "id"
  FROM "webhook_deliveries"
  WHERE "webhook_id" = $3 AND "status" = 'pending' AND "began_at" <= $4
  ORDER BY "id"
  LIMIT 200))
  RETURNING "id" AS "id";
DELETE FROM "webhook_deliveries"
  WHERE ctid = ANY (ARRAY(SELECT ctid
  FROM "webhook_deliveries"
  WHERE ("ended_at") >= ($1) AND "ended_at" <= $2
  ORDER BY "ended_at"
  LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING "ended_at" AS "endedAtMs";

-- webhook_subscriptions

-- grouped
SELECT "subscription"."webhook_id" AS "webhookId"
  FROM "webhook_subscriptions" "subscription"
  WHERE "subscription"."event" = $1 AND "subscription"."audience" = $2 AND "subscription"."webhook_id" > $3
  ORDER BY "subscription"."webhook_id" ASC
  LIMIT $4;

-- webhooks

INSERT INTO "webhooks"("account", "url", "events", "secrets", "created_at", "made_by", "created_by", "status", "pending", "paused_until", "failures", "failing_since", "refused_since", "disabled_at", "disabled_reason") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, value_11, value_12, value_13, value_14, value_15
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::integer[], $10::bigint[], $11::integer[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, value_11, value_12, value_13, value_14, value_15, position)
  ORDER BY position
  RETURNING "id" AS "id";
INSERT INTO "webhooks"("account", "url", "events", "secrets", "created_at", "made_by", "created_by", "status", "pending", "paused_until", "failures", "failing_since", "refused_since", "disabled_at", "disabled_reason")
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
  RETURNING "id" AS "id";
SELECT nextval((SELECT pg_get_serial_sequence('"webhooks"', 'id')::regclass)) AS "id"
  FROM generate_series(1, $1);
INSERT INTO "webhooks"("id", "account", "url", "events", "secrets", "created_at", "made_by", "created_by", "status", "pending", "paused_until", "failures", "failing_since", "refused_since", "disabled_at", "disabled_reason")
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);
INSERT INTO "webhooks"("id", "account", "url", "events", "secrets", "created_at", "made_by", "created_by", "status", "pending", "paused_until", "failures", "failing_since", "refused_since", "disabled_at", "disabled_reason") SELECT value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, value_11, value_12, value_13, value_14, value_15, value_16
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::integer[], $11::bigint[], $12::integer[], $13::bigint[], $14::bigint[], $15::bigint[], $16::text[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, value_11, value_12, value_13, value_14, value_15, value_16, position)
  ORDER BY position;
-- grouped
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."url" AS "url", "webhook"."events" AS "events", "webhook"."secrets" AS "secrets", "webhook"."created_at" AS "createdAtMs", "webhook"."made_by" AS "createdBy", "webhook"."created_by" AS "ownerKey", "webhook"."status" AS "status", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs", "webhook"."failures" AS "failures", "webhook"."failing_since" AS "failingSinceMs", "webhook"."refused_since" AS "refusedSinceMs", "webhook"."disabled_at" AS "disabledAtMs", "webhook"."disabled_reason" AS "disabledReason"
  FROM "webhooks" "webhook"
  WHERE "webhook"."account" = $1 AND "webhook"."id" = $2;
-- grouped
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."url" AS "url", "webhook"."events" AS "events", "webhook"."secrets" AS "secrets", "webhook"."created_at" AS "createdAtMs", "webhook"."made_by" AS "createdBy", "webhook"."created_by" AS "ownerKey", "webhook"."status" AS "status", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs", "webhook"."failures" AS "failures", "webhook"."failing_since" AS "failingSinceMs", "webhook"."refused_since" AS "refusedSinceMs", "webhook"."disabled_at" AS "disabledAtMs", "webhook"."disabled_reason" AS "disabledReason"
  FROM "webhooks" "webhook"
  WHERE "webhook"."account" = $1 AND "webhook"."id" = $2 FOR UPDATE;
UPDATE "webhooks"
  SET "made_by" = $1, "created_by" = $2, "secrets" = $3, "status" = $4, "pending" = $5, "paused_until" = $6, "failures" = $7, "failing_since" = $8, "refused_since" = $9, "disabled_at" = $10, "disabled_reason" = $11
  WHERE "id" = $12;
UPDATE "webhooks"
  SET "made_by" = value_1, "created_by" = value_2, "secrets" = value_3, "status" = value_4, "pending" = value_5, "paused_until" = value_6, "failures" = value_7, "failing_since" = value_8, "refused_since" = value_9, "disabled_at" = value_10, "disabled_reason" = value_11
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::bigint[], $7::integer[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[]) WITH ORDINALITY AS item(value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10, value_11, value_12, position)
  WHERE "webhooks"."id" = value_12 AND "webhooks"."id" = ANY($12);
-- grouped
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."url" AS "url", "webhook"."events" AS "events", "webhook"."secrets" AS "secrets", "webhook"."created_at" AS "createdAtMs", "webhook"."made_by" AS "createdBy", "webhook"."created_by" AS "ownerKey", "webhook"."status" AS "status", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs", "webhook"."failures" AS "failures", "webhook"."failing_since" AS "failingSinceMs", "webhook"."refused_since" AS "refusedSinceMs", "webhook"."disabled_at" AS "disabledAtMs", "webhook"."disabled_reason" AS "disabledReason"
  FROM "webhooks" "webhook"
  WHERE "webhook"."account" = $1 AND "webhook"."account" BETWEEN $1 AND $1
  ORDER BY "webhook"."id" ASC
  LIMIT $2;
-- grouped
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."url" AS "url", "webhook"."events" AS "events", "webhook"."secrets" AS "secrets", "webhook"."created_at" AS "createdAtMs", "webhook"."made_by" AS "createdBy", "webhook"."created_by" AS "ownerKey", "webhook"."status" AS "status", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs", "webhook"."failures" AS "failures", "webhook"."failing_since" AS "failingSinceMs", "webhook"."refused_since" AS "refusedSinceMs", "webhook"."disabled_at" AS "disabledAtMs", "webhook"."disabled_reason" AS "disabledReason"
  FROM "webhooks" "webhook"
  WHERE "webhook"."account" = $1 AND "webhook"."account" BETWEEN $1 AND $1 AND ("webhook"."id") > ($2)
  ORDER BY "webhook"."id" ASC
  LIMIT $3;
-- grouped
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."url" AS "url", "webhook"."events" AS "events", "webhook"."secrets" AS "secrets", "webhook"."created_at" AS "createdAtMs", "webhook"."made_by" AS "createdBy", "webhook"."created_by" AS "ownerKey", "webhook"."status" AS "status", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs", "webhook"."failures" AS "failures", "webhook"."failing_since" AS "failingSinceMs", "webhook"."refused_since" AS "refusedSinceMs", "webhook"."disabled_at" AS "disabledAtMs", "webhook"."disabled_reason" AS "disabledReason"
  FROM "webhooks" "webhook"
  WHERE "webhook"."id" = $1;
SELECT "webhook"."id" AS "id", "webhook"."account" AS "account", "webhook"."pending" AS "pending", "webhook"."paused_until" AS "pausedUntilMs"
  FROM "webhooks" "webhook"
  WHERE "webhook"."id" = ANY ($1) AND "webhook"."status" = 'enabled'
  ORDER BY "webhook"."id" ASC FOR UPDATE;
UPDATE "webhooks"
  SET "pending" = "pending" + CAST($1 AS integer)
  WHERE "id" = ANY ($2);
