/** Adds how often a run was reopened before the end that a delivery announces. */
import { Migration } from '@mikro-orm/migrations'

export class Reopenings extends Migration {
  override up(): void {
    this.addSql('alter table webhook.delivery add column reopenings integer not null default 0')
  }
}
