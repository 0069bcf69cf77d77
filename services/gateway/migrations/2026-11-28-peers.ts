/** The hosts that sent the pages, for their evidence. */
import { Migration } from '@mikro-orm/migrations'

export class Peers extends Migration {
  override up(): void {
    this.addSql('alter table read.page add column address text, add column certificate text collate "C"')
  }
}
