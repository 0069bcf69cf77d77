/** Caps of a project in place of its tier's, caps of a key, and the default cloud mode of a project's scans. */
import { Migration } from '@mikro-orm/migrations'

export class Caps extends Migration {
  override up(): void {
    this.addSql(`alter table account.project add column caps jsonb, add column cloud_mode text`)
    this.addSql(`alter table account.key add column caps jsonb`)
  }
}
