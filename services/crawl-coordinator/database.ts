/** Declares the schema `coordinator`. Its transactions are short: they decide limits and ids. */

import { checkpointTable, checkpointTimes } from '@tidemark/db/checkpoint'
import { defineDatabase } from '@tidemark/db/database'
import { outboxTable } from '@tidemark/db/outbox'

export const database = defineDatabase({
  schema: 'coordinator',
  entities: [],
  migrations: {
    /** Creates the tables of admissions, idempotency keys, page ids, leases of shards, and the outbox. */
    First: [
      `
      create table coordinator.admission (
        run_id bigint generated always as identity primary key,
        project_id bigint not null,
        shard smallint generated always as (run_id % 64) stored,
        enqueued_at timestamptz not null,
        released_at timestamptz
      )`,
      `create index on coordinator.admission (project_id) where released_at is null`,
      `create index on coordinator.admission (shard) where released_at is null`,
      `
      create table coordinator.idempotency_key (
        project_id bigint not null,
        key text not null,
        run_id bigint not null,
        fingerprint text not null,
        created_at timestamptz not null,
        primary key (project_id, key)
      )`,
      `create sequence coordinator.page_id increment by 1000`,
      `
      create table coordinator.shard_lease (
        shard smallint primary key,
        owner text,
        epoch bigint not null default 0,
        until timestamptz not null default '-infinity'
      )`,
      `insert into coordinator.shard_lease (shard) select generate_series(0, 63)`,
      `create table coordinator.instance (name text primary key, until timestamptz not null)`,
      outboxTable('coordinator'),
    ],
    /** Creates the table of deleted runs that are still to be purged, and adds the time of archiving to admissions. */
    Deletions: [
      `
      create table coordinator.deletion (
        run_id bigint primary key,
        sequence bigint,
        requested_at timestamptz not null default now(),
        purged_at timestamptz,
        due_at timestamptz default now()
      )`,
      `create index on coordinator.deletion (due_at) where due_at is not null`,
      `alter table coordinator.admission add column archived_at timestamptz`,
      `create index on coordinator.admission (released_at) where archived_at is null`,
    ],
    /**
     * Adds the URL, the fingerprint of the settings that determine the pages, and the end of a run, so that a recent
     * run can be returned again.
     */
    Likeness: [
      `
      alter table coordinator.admission
        add column url text,
        add column likeness text collate "C",
        add column done_at timestamptz`,
      `
      create index on coordinator.admission (project_id, likeness, done_at)
      where done_at is not null and likeness is not null`,
    ],
    /** Adds indexes to find keys by run and by age, and marks purged runs as archived. */
    Keys: [
      `create index on coordinator.idempotency_key (run_id)`,
      `create index on coordinator.idempotency_key (created_at)`,
      `
      update coordinator.admission set archived_at = deletion.purged_at
      from coordinator.deletion
      where deletion.run_id = admission.run_id and purged_at is not null and archived_at is null`,
    ],
    /** Adds the end of RUNS at the last check, and the message at that position. */
    Checkpoint: [checkpointTable('coordinator'), checkpointTimes('coordinator')],
    /**
     * Adds how often a run was reopened, and until when an earlier end does not release the slot of the reopened run.
     */
    Reopenings: [
      `
      alter table coordinator.admission
        add column reopenings integer not null default 0,
        add column reserved_until timestamptz`,
    ],
    /** Adds the sealed sessions of logins. The end of a run deletes its row. */
    LoginSessions: [
      `
      create table coordinator.login_session (
        run_id bigint primary key,
        attempt integer not null,
        sealed text not null
      )`,
    ],
    /** Adds the bytes of the requests by which each project has started runs on its latest day. */
    RequestBytes: [
      `
      create table coordinator.request_bytes (
        project_id bigint primary key,
        day date not null,
        bytes bigint not null
      )`,
    ],
  },
})
