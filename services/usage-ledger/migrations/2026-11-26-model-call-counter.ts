/** Counts the calls of a language model by project and day, for their cap. */
import { Migration } from '@mikro-orm/migrations'

export class ModelCallCounter extends Migration {
  override up(): void {
    this.addSql('alter table ledger.counter add column model_calls bigint not null default 0')
  }
}
