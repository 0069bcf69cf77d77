/** Whether a run was reopened, so that its stored comparison may be about an earlier end. */
import { Migration } from '@mikro-orm/migrations'

export class Reopened extends Migration {
  override up(): void {
    this.addSql('alter table read.run add column was_reopened boolean not null default false')
  }
}
