/**
 * Describes the schema `webhook`. It is primary data: backed up and never rebuilt, because a lost decision would be
 * made again.
 */
import { checkpointTable, checkpointTimes } from '@tidemark/db/checkpoint'
import { defineDatabase } from '@tidemark/db/database'
import { outboxTable } from '@tidemark/db/outbox'

export const database = defineDatabase({
  schema: 'webhook',
  entities: [],
  migrations: {
    /** Creates the tables of runs with webhooks, deliveries, secrets, checkpoints and the outbox. */
    First: [
      `
      create table webhook.run (
        run_id bigint primary key,
        project_id bigint not null,
        url text not null,
        target text not null,
        events text[] not null,
        only_changed boolean not null,
        is_monitored boolean not null,
        previous_run_id bigint,
        started_at timestamptz
      )`,
      `
      create table webhook.delivery (
        run_id bigint primary key,
        project_id bigint not null,
        url text not null,
        host text not null,
        event text not null,
        webhook_id text not null,
        state text not null,
        attempts integer not null default 0 check (attempts between 0 and 5),
        is_sending boolean not null default false,
        next_at timestamptz not null default clock_timestamp(),
        last_error text,
        facts json,
        trace text,
        announced integer not null default 0,
        announced_at timestamptz,
        decided_at timestamptz not null default clock_timestamp(),
        ended_at timestamptz
      ) with (fillfactor = 70)`,
      `create index delivery_due on webhook.delivery (next_at) where state = 'pending'`,
      `
      create table webhook.secret (
        project_id bigint primary key,
        sealed text not null,
        created_at timestamptz not null default clock_timestamp()
      )`,
      checkpointTable('webhook'),
      outboxTable('webhook'),
    ],
    /**
     * Adds a log of attempts, rounds of a delivery, older secrets that sign beside the newest one, and finished runs that
     * wait for the comparison with their previous run.
     */
    Redelivery: [
      `
      alter table webhook.delivery
        add column round integer not null default 1,
        add column claimed_at timestamptz`,
      `
      alter table webhook.run
        add column ending json,
        add column waits_until timestamptz,
        add column is_compared boolean not null default false`,
      'create index run_waiting on webhook.run (waits_until) where waits_until is not null',
      `
      create table webhook.attempt (
        run_id bigint not null,
        round integer not null,
        attempt integer not null,
        at timestamptz not null,
        status integer,
        latency_ms integer not null,
        error text,
        excerpt text,
        primary key (run_id, round, attempt)
      )`,
      `create index delivery_dead on webhook.delivery (project_id, ended_at) where state = 'dead'`,
      `
      create table webhook.old_secret (
        id bigint generated always as identity primary key,
        project_id bigint not null,
        sealed text not null,
        until timestamptz not null
      )`,
      'create index on webhook.old_secret (project_id)',
    ],
    /** Indexes attempts by age, so that old ones can be deleted. BRIN suffices because rows are written in this order. */
    Attempts: ['create index attempt_by_age on webhook.attempt using brin (at) with (autosummarize = on)'],
    /** Adds to checkpoints when the last read message was stored. This time identifies the stream. */
    CheckpointTimes: [checkpointTimes('webhook')],
    /** Adds how often a run was reopened before the end that a delivery announces. */
    Reopenings: ['alter table webhook.delivery add column reopenings integer not null default 0'],
    /** Whether a run has an intent, by which its changes are judged, and whether other changes are not sent. */
    Intents: [
      `
      alter table webhook.run
        add column has_intent boolean not null default false,
        add column only_matching boolean not null default false`,
    ],
    /** Adds notices: the further events that runs select, and the pages that wait for their batch. */
    Notices: [
      `alter table webhook.run add column notices text[] not null default '{}'`,
      // The ids are those of deliveries. They begin above all ids of runs (domain/notice.ts).
      `
      create table webhook.notice (
        id bigint generated always as identity (start with 4503599627370497) primary key,
        run_id bigint not null,
        webhook_id text not null,
        unique (run_id, webhook_id)
      )`,
      `
      create table webhook.page_batching (
        run_id bigint primary key,
        batches integer not null default 0,
        pages bigint not null default 0,
        sequence bigint not null default 0,
        waiting json not null default '[]',
        waits_until timestamptz
      ) with (fillfactor = 70)`,
      'create index page_batching_due on webhook.page_batching (waits_until) where waits_until is not null',
    ],
  },
})
