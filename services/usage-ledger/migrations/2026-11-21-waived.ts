/**
 * What was tried and cost nothing stands among the units, with 0 of them; and the bill can be read by day, by run and
 * by request. Runs are asked for seldom, and their rows lie together: an index by blocks costs a crawl nothing.
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
