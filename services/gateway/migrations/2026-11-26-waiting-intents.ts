/** Index for the search for runs whose changes are not judged yet. */
import { Migration } from '@mikro-orm/migrations'

export class WaitingIntents extends Migration {
  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    this.addSql('drop index concurrently if exists read.run_to_judge')
    this.addSql(
      `create index concurrently run_to_judge on read.run (id)
       where intent is not null and judgement is null and status = 'done'`,
    )
  }
}
