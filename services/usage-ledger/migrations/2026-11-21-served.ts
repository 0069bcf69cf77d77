/** Units of requests beside those of runs, their operation and target, and the units that requests hold. */
import { Migration } from '@mikro-orm/migrations'

export class Served extends Migration {
  override up(): void {
    this.addSql(`
      alter table ledger.unit
        alter column run_id drop not null,
        alter column page_id drop not null,
        add column request_id text,
        add column operation text,
        add column what text,
        add column cost_usd numeric(16, 6) not null default 0,
        add check (num_nonnulls(run_id, request_id) = 1)`)
    this.addSql(`
      create table ledger.reservation (
        project_id bigint not null,
        request_id text not null,
        kind text not null,
        units integer not null,
        reason text,
        expires_at timestamptz not null,
        primary key (project_id, request_id, kind)
      )`)
    this.addSql(`create index on ledger.reservation (expires_at)`)
  }
}
