/** The run that a fork continues, and the pages that it has taken from the store. */
import { Migration } from '@mikro-orm/migrations'

export class Forks extends Migration {
  override up(): void {
    this.addSql(
      'alter table read.run add column forked_from bigint, add column pages_reused integer not null default 0',
    )
    this.addSql('alter table read.page add column carried boolean not null default false')
  }
}
