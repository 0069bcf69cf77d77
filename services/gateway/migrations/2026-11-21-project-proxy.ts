/** Adds the default proxy of a project: its sealed URL, and its URL without the password. */
import { Migration } from '@mikro-orm/migrations'

export class ProjectProxy extends Migration {
  override up(): void {
    this.addSql(`alter table read.project add column proxy jsonb`)
  }
}
