/** The number of changes of a project's keys, shares and consent on the last day that had any. */
import { Migration } from '@mikro-orm/migrations'

export class AccountChanges extends Migration {
  override up(): void {
    this.addSql(
      `alter table account.project add column changed_on date, add column changes integer not null default 0`,
    )
  }
}
