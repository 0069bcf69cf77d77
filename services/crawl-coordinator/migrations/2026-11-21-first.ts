/** Creates the tables of admissions, idempotency keys, page ids, leases of shards, and the outbox. */
import { Migration } from '@mikro-orm/migrations'
import { outboxTable } from '@tidemark/db/outbox'

export class First extends Migration {
  override up(): void {
    this.addSql(`
      create table coordinator.admission (
        run_id bigint generated always as identity primary key,
        project_id bigint not null,
        shard smallint generated always as (run_id % 64) stored,
        enqueued_at timestamptz not null,
        released_at timestamptz
      )`)
    this.addSql(`create index on coordinator.admission (project_id) where released_at is null`)
    this.addSql(`create index on coordinator.admission (shard) where released_at is null`)
    this.addSql(`
      create table coordinator.idempotency_key (
        project_id bigint not null,
        key text not null,
        run_id bigint not null,
        fingerprint text not null,
        created_at timestamptz not null,
        primary key (project_id, key)
      )`)
    this.addSql(`create sequence coordinator.page_id increment by 1000`)
    this.addSql(`
      create table coordinator.shard_lease (
        shard smallint primary key,
        owner text,
        epoch bigint not null default 0,
        until timestamptz not null default '-infinity'
      )`)
    this.addSql(`insert into coordinator.shard_lease (shard) select generate_series(0, 63)`)
    this.addSql(`create table coordinator.instance (name text primary key, until timestamptz not null)`)
    this.addSql(outboxTable('coordinator'))
  }
}
