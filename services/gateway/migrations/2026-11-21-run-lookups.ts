/** Look-ups of a project's runs beside their ids: those that ended recently, and those of a seed URL. */
import { Migration } from '@mikro-orm/migrations'

export class RunLookups extends Migration {
  override up(): void {
    this.addSql(`create index on read.run (project_id, finished_at)`)
    // An address may be longer than an entry of an index.
    this.addSql(`create index on read.run (project_id, md5(url), id)`)
  }
}
