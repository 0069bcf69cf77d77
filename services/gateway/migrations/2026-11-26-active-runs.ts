/** Indexes for the operator's view of all projects: runs that have not ended, and runs by the time of their start. */
import { Migration } from '@mikro-orm/migrations'

export class ActiveRuns extends Migration {
  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    this.addSql('drop index concurrently if exists read.run_active')
    this.addSql(
      `create index concurrently run_active on read.run (project_id, status)
       where status in ('queued', 'running')`,
    )
    this.addSql('drop index concurrently if exists read.run_enqueued')
    this.addSql(
      `create index concurrently run_enqueued on read.run using brin (enqueued_at) with (autosummarize = on)`,
    )
  }
}
