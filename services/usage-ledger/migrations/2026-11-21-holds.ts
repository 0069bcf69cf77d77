/**
 * Units that runs hold for pages that are not settled yet, the recorded units of each run, and the billed units of ended
 * runs.
 */
import { Migration } from '@mikro-orm/migrations'

export class Holds extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger.hold (
        run_id bigint primary key,
        project_id bigint not null,
        granted bigint not null
      )`)
    this.addSql(`create index on ledger.hold (project_id)`)
    this.addSql(`alter table ledger.run add column billable bigint`)
    this.addSql(`create table ledger.billed_run (run_id bigint primary key, units bigint not null)`)
    this.addSql(`
      insert into ledger.billed_run (run_id, units)
      select run_id, count(*) from ledger.unit where run_id is not null group by run_id`)
  }
}
