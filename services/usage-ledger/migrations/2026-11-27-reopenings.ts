/**
 * The number of reopenings of a run that the ledger has read. Null: a process of an earlier version has stored the run, and
 * may have read reopenings without counting them. A default of 0 would also count those runs.
 */
import { Migration } from '@mikro-orm/migrations'

export class Reopenings extends Migration {
  override up(): void {
    this.addSql(`alter table ledger.run add column reopenings integer`)
  }
}
