/** Spent units, counters by project and day, the project of each run, and the checkpoints of both readers. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTable } from '@tidemark/db/checkpoint'

export class First extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger.unit (
        token text primary key,
        project_id bigint not null,
        run_id bigint not null,
        page_id bigint not null,
        kind text not null,
        day date not null,
        sequence bigint not null,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`
      create table ledger.counter (
        project_id bigint not null,
        day date not null,
        pages bigint not null default 0,
        cloud_pages bigint not null default 0,
        cloud_cost_usd numeric(16, 6) not null default 0,
        primary key (project_id, day)
      ) with (fillfactor = 50)`)
    this.addSql(`create table ledger.run (run_id bigint primary key, project_id bigint not null)`)
    this.addSql(checkpointTable('ledger'))
  }
}
