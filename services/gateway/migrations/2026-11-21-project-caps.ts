/** A project's limits in place of its tier's, the limits of a key, and the defaults of the project's scans. */
import { Migration } from '@mikro-orm/migrations'

export class ProjectCaps extends Migration {
  override up(): void {
    this.addSql(`alter table read.project add column caps jsonb, add column cloud_mode text`)
    this.addSql(`alter table read.key add column caps jsonb`)
  }
}
