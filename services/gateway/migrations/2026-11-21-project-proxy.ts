/** The proxy of a project's crawls that name none: sealed, and as it may be shown. */
import { Migration } from '@mikro-orm/migrations'

export class ProjectProxy extends Migration {
  override up(): void {
    this.addSql(`alter table read.project add column proxy jsonb`)
  }
}
