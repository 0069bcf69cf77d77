/** Where each URL led that a run has no page of because it redirected: a key for each of `keys`, null for other causes. */
import { Migration } from '@mikro-orm/migrations'

export class RedirectTargets extends Migration {
  override up(): void {
    this.addSql(`alter table read.pageless add column targets text[]`)
  }
}
