/** Cloud pages of runs beside their pages: the granted units, those in the ledger, and those billed at the end. */
import { Migration } from '@mikro-orm/migrations'

export class CloudHolds extends Migration {
  override up(): void {
    this.addSql(`alter table ledger.hold add column cloud_granted bigint not null default 0`)
    this.addSql(`alter table ledger.run add column cloud_billable bigint not null default 0`)
    this.addSql(`alter table ledger.billed_run add column cloud_units bigint not null default 0`)
  }
}
