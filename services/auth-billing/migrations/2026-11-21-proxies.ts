/** The default proxy of a project's crawls: sealed, and as shown to people. */
import { Migration } from '@mikro-orm/migrations'

export class Proxies extends Migration {
  override up(): void {
    this.addSql(`alter table account.project add column proxy jsonb`)
  }
}
