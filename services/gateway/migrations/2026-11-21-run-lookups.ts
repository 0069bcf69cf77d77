/** What is asked of a project's runs beside their ids: those that ended lately, and those that began at an address. */
import { Migration } from '@mikro-orm/migrations'

export class RunLookups extends Migration {
  override up(): void {
    this.addSql(`create index on read.run (project_id, finished_at)`)
    // An address may be longer than an entry of an index.
    this.addSql(`create index on read.run (project_id, md5(url), id)`)
  }
}
