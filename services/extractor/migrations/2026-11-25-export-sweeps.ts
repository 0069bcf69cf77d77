/** Indexes for the sweep of exports and the abort of their uploads. */
import { Migration } from '@mikro-orm/migrations'

export class ExportSweeps extends Migration {
  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    for (const [index, on] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists content.${index}`)
      this.addSql(`create index concurrently ${index} on content.export ${on}`)
    }
  }
}

const indexes = {
  export_that_expires: `(expires_at) where state = 'done'`,
  export_by_end: '(ended_at)',
  export_of_deleted_run: `(id) where state = 'deleted'`,
  export_with_upload: '(due_at) where upload is not null',
}
