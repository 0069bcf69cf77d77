/** Runs hold cloud pages too, beside their pages: what they were granted, what is in the ledger, and what was billed in the end. */
import { Migration } from '@mikro-orm/migrations'

export class CloudHolds extends Migration {
  override up(): void {
    this.addSql(`alter table ledger.hold add column cloud_granted bigint not null default 0`)
    this.addSql(`alter table ledger.run add column cloud_billable bigint not null default 0`)
    this.addSql(`alter table ledger.billed_run add column cloud_units bigint not null default 0`)
  }
}
