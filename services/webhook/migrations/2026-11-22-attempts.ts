/** Indexes attempts by age, so that old ones can be deleted. BRIN suffices because rows are written in this order. */
import { Migration } from '@mikro-orm/migrations'

export class Attempts extends Migration {
  override up(): void {
    this.addSql('create index attempt_by_age on webhook.attempt using brin (at) with (autosummarize = on)')
  }
}
