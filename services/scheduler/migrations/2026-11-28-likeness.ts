/** Adds the request likeness of a monitor, so that its recent runs can be returned again. */
import { Migration } from '@mikro-orm/migrations'

export class Likeness extends Migration {
  override up(): void {
    this.addSql('alter table scheduler.monitor add column likeness text collate "C"')
  }
}
