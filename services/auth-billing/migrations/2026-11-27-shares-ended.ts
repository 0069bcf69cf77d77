/** The ends of shares, by run. */
import { Migration } from '@mikro-orm/migrations'

export class SharesEnded extends Migration {
  override up(): void {
    this.addSql(`alter table account.project add column shares_ended jsonb`)
  }
}
