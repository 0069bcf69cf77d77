/**
 * Free attempts are rows of 0 units, and the bill can be read by day, by run and by request. Bills of runs are read
 * seldom and their rows lie together, so a block range index is enough and costs a crawl nothing.
 */
import { Migration } from '@mikro-orm/migrations'

export class Waived extends Migration {
  override up(): void {
    this.addSql(`
      alter table ledger.unit
        add column units smallint not null default 1,
        add column reason text,
        add column attempt smallint`)
    this.addSql(`create index unit_of_day on ledger.unit (project_id, day, sequence)`)
    this.addSql(`create index unit_of_request on ledger.unit (request_id) where request_id is not null`)
    this.addSql(`create index unit_of_run on ledger.unit using brin (run_id) with (autosummarize = on)`)
  }
}
