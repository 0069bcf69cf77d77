/** Creates the tables of monitors with their next due minute, ticks, idempotency keys of monitors, and the outbox. */
import { Migration } from '@mikro-orm/migrations'
import { outboxTable } from '@tidemark/db/outbox'

export class First extends Migration {
  override up(): void {
    this.addSql(`
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
      )`)
    this.addSql(`create index on scheduler.monitor (project_id)`)
    this.addSql(`create index on scheduler.monitor (next_fires_at) where next_fires_at is not null`)
    this.addSql(`
      create table scheduler.tick (
        monitor_id bigint not null references scheduler.monitor on delete cascade,
        minute timestamptz not null,
        begun_at timestamptz not null,
        attempts integer not null default 1,
        outcome text,
        run_id bigint,
        primary key (monitor_id, minute)
      )`)
    this.addSql(`
      create table scheduler.idempotency_key (
        project_id bigint not null,
        key text not null,
        monitor_id bigint not null,
        fingerprint text not null,
        created_at timestamptz not null,
        primary key (project_id, key)
      )`)
    this.addSql(outboxTable('scheduler'))
  }
}
