/** Which pages a browser rendered. */
import { Migration } from '@mikro-orm/migrations'

export class Rendered extends Migration {
  override up(): void {
    this.addSql(`alter table read.page add column rendered boolean not null default false`)
  }
}
