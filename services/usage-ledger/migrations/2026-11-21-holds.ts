/** Room that runs hold for pages which they have not settled yet, and how much of each run is in the ledger. */
import { Migration } from '@mikro-orm/migrations'

export class Holds extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger.hold (
        run_id bigint primary key,
        project_id bigint not null,
        granted bigint not null,
        billable bigint
      )`)
    this.addSql(`create index on ledger.hold (project_id)`)
    this.addSql(`create table ledger.billed_run (run_id bigint primary key, units bigint not null)`)
  }
}
