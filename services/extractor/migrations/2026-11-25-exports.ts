/** Exports of runs, their parts, the outbox of their events, and the header fields of pages. */
import { Migration } from '@mikro-orm/migrations'
import { headerTables } from '@tidemark/content/tables'
import { outboxTable } from '@tidemark/db/outbox'

export class Exports extends Migration {
  override up(): void {
    for (const statement of headerTables) this.addSql(statement)
    this.addSql(`
      create table content.export (
        id bigint generated always as identity primary key,
        project_id bigint not null,
        run_id bigint not null,
        format text not null,
        selection jsonb not null,
        sink jsonb not null,
        credentials text,
        idempotency_key text,
        fingerprint text not null,
        trace text,
        created_at timestamptz not null default now(),
        state text not null default 'queued',
        lease uuid,
        due_at timestamptz not null default now(),
        attempts integer not null default 0,
        failures integer not null default 0,
        upload text,
        ended_at timestamptz,
        expires_at timestamptz,
        bytes bigint,
        sha256 text,
        records bigint,
        reason text,
        message text
      )`)
    this.addSql(`create index on content.export (project_id, run_id, id)`)
    this.addSql(`create index on content.export (run_id)`)
    this.addSql(`create index on content.export (due_at) where state in ('queued', 'running')`)
    this.addSql(`create unique index on content.export (project_id, idempotency_key)`)
    this.addSql(`
      create table content.export_part (
        export_id bigint not null references content.export on delete cascade,
        number integer not null,
        project_id bigint not null,
        size integer not null,
        sha256 text not null,
        tag text,
        data bytea,
        primary key (export_id, number)
      )`)
    this.addSql(`alter table content.export_part alter column data set storage external`)
    this.addSql(outboxTable('content'))
  }
}
