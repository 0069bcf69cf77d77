/** The number of reopenings of a run that the ledger has read. Null: a run of an earlier version, of which it is unknown. */
import { Migration } from '@mikro-orm/migrations'

export class Reopenings extends Migration {
  override up(): void {
    this.addSql(`alter table ledger.run add column reopenings integer`)
    this.addSql(`alter table ledger.run alter column reopenings set default 0`)
  }
}
