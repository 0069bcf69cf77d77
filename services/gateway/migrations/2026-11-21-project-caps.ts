/** What is a project's own in place of its tier's, what narrows a key, and what the project's scans do by themselves. */
import { Migration } from '@mikro-orm/migrations'

export class ProjectCaps extends Migration {
  override up(): void {
    this.addSql(`alter table read.project add column caps jsonb, add column cloud_mode text`)
    this.addSql(`alter table read.key add column caps jsonb`)
  }
}
