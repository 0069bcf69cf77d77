/** Creates the tables of runs with webhooks, deliveries, secrets, checkpoints and the outbox. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTable } from '@tidemark/db/checkpoint'
import { outboxTable } from '@tidemark/db/outbox'

export class First extends Migration {
  override up(): void {
    this.addSql(`
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
      )`)
    this.addSql(`
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
      ) with (fillfactor = 70)`)
    this.addSql(`create index delivery_due on webhook.delivery (next_at) where state = 'pending'`)
    this.addSql(`
      create table webhook.secret (
        project_id bigint primary key,
        sealed text not null,
        created_at timestamptz not null default clock_timestamp()
      )`)
    this.addSql(checkpointTable('webhook'))
    this.addSql(outboxTable('webhook'))
  }
}
