/** The host whose subdomains a run includes, for its links. Null for other runs, and for those that started before it. */
import { Migration } from '@mikro-orm/migrations'

export class WideScope extends Migration {
  override up(): void {
    this.addSql('alter table read.run add column wide_scope text')
  }
}
