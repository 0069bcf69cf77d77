/** Attempts are found by their age, so that old ones can go; they are written in that order, so blocks will do. */
import { Migration } from '@mikro-orm/migrations'

export class Attempts extends Migration {
  override up(): void {
    this.addSql('create index attempt_by_age on webhook.attempt using brin (at) with (autosummarize = on)')
  }
}
