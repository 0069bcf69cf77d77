/** Adds notices: the further events that runs select, and the pages that wait for their batch. */
import { Migration } from '@mikro-orm/migrations'

export class Notices extends Migration {
  override up(): void {
    this.addSql(`alter table webhook.run add column notices text[] not null default '{}'`)
    // The ids are those of deliveries. They begin above all ids of runs (domain/notice.ts).
    this.addSql(`
      create table webhook.notice (
        id bigint generated always as identity (start with 4503599627370497) primary key,
        run_id bigint not null,
        webhook_id text not null,
        unique (run_id, webhook_id)
      )`)
    this.addSql(`
      create table webhook.page_batching (
        run_id bigint primary key,
        batches integer not null default 0,
        pages bigint not null default 0,
        sequence bigint not null default 0,
        waiting json not null default '[]',
        waits_until timestamptz
      ) with (fillfactor = 70)`)
    this.addSql(
      'create index page_batching_due on webhook.page_batching (waits_until) where waits_until is not null',
    )
  }
}
