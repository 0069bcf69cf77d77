/** The redirect targets of URLs without a page: a key for each of `keys`, null for other causes. */
import { Migration } from '@mikro-orm/migrations'

export class RedirectTargets extends Migration {
  override up(): void {
    this.addSql(`alter table read.pageless add column targets text[]`)
  }
}
