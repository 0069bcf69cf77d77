/** Schema `scheduler`: monitors and their due minutes. It is primary data: backed up, never rebuilt. */

import { defineDatabase } from '@tidemark/db/database'
import { outboxTable } from '@tidemark/db/outbox'

export const database = defineDatabase({
  schema: 'scheduler',
  entities: [],
  migrations: {
    /** Creates the tables of monitors with their next due minute, ticks, idempotency keys of monitors, and the outbox. */
    First: [
      `
      create table scheduler.monitor (
        id bigint generated always as identity primary key,
        project_id bigint not null,
        tier text not null,
        url text not null,
        schedule text not null,
        enabled boolean not null default true,
        settings jsonb not null,
        created_at timestamptz not null,
        last_fired_at timestamptz,
        last_run_id bigint,
        next_minute timestamptz,
        next_fires_at timestamptz,
        try_after timestamptz not null default '-infinity'
      )`,
      `create index on scheduler.monitor (project_id)`,
      `create index on scheduler.monitor (next_fires_at) where next_fires_at is not null`,
      `
      create table scheduler.tick (
        monitor_id bigint not null references scheduler.monitor on delete cascade,
        minute timestamptz not null,
        begun_at timestamptz not null,
        attempts integer not null default 1,
        outcome text,
        run_id bigint,
        primary key (monitor_id, minute)
      )`,
      `
      create table scheduler.idempotency_key (
        project_id bigint not null,
        key text not null,
        monitor_id bigint not null,
        fingerprint text not null,
        created_at timestamptz not null,
        primary key (project_id, key)
      )`,
      outboxTable('scheduler'),
    ],
    /** Adds columns for the outcome of a tick (reason, status of its run), and for ticks that clients request. */
    TickEnds: [
      `
      alter table scheduler.monitor
        add column last_status text,
        add column consecutive_failures integer not null default 0`,
      `
      alter table scheduler.tick
        add column asked boolean not null default false,
        add column asked_key text,
        add column reason text,
        add column run_status text,
        add column look_at timestamptz`,
      // The checks that find how new runs ended also find how earlier runs ended.
      `update scheduler.tick set look_at = '-infinity' where run_id is not null`,
      `create index tick_to_look_at on scheduler.tick (look_at) where look_at is not null`,
      `
      create unique index tick_being_asked on scheduler.tick (monitor_id) where asked and outcome is null`,
    ],
    /** Adds the time zone of a monitor's schedule. */
    TimeZones: [`alter table scheduler.monitor add column timezone text not null default 'UTC'`],
    /** Adds the fingerprint of the settings that determine the pages of a monitor, so that its recent runs can be returned again. */
    Likeness: ['alter table scheduler.monitor add column likeness text collate "C"'],
    /** Adds whether the run of a tick is known to be deleted. */
    DeletedRuns: ['alter table scheduler.tick add column run_deleted boolean not null default false'],
  },
})
