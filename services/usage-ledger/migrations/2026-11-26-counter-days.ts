/** Index for the sums of a day and of a month over all projects. */
import { Migration } from '@mikro-orm/migrations'

export class CounterDays extends Migration {
  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    this.addSql('drop index concurrently if exists ledger.counter_of_day')
    this.addSql('create index concurrently counter_of_day on ledger.counter (day)')
  }
}
