/** What is a project's own in place of its tier's, what narrows a key, and what the project's scans do by themselves. */
import { Migration } from '@mikro-orm/migrations'

export class Caps extends Migration {
  override up(): void {
    this.addSql(`alter table account.project add column caps jsonb, add column cloud_mode text`)
    this.addSql(`alter table account.key add column caps jsonb`)
  }
}
