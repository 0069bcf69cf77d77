/**
 * Adds a log of attempts, rounds of a delivery, older secrets that sign beside the newest one, and finished runs that
 * wait for the comparison with their previous run.
 */
import { Migration } from '@mikro-orm/migrations'

export class Redelivery extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhook.delivery
        add column round integer not null default 1,
        add column claimed_at timestamptz`)
    this.addSql(`
      alter table webhook.run
        add column ending json,
        add column waits_until timestamptz,
        add column is_compared boolean not null default false`)
    this.addSql('create index run_waiting on webhook.run (waits_until) where waits_until is not null')
    this.addSql(`
      create table webhook.attempt (
        run_id bigint not null,
        round integer not null,
        attempt integer not null,
        at timestamptz not null,
        status integer,
        latency_ms integer not null,
        error text,
        excerpt text,
        primary key (run_id, round, attempt)
      )`)
    this.addSql(`create index delivery_dead on webhook.delivery (project_id, ended_at) where state = 'dead'`)
    this.addSql(`
      create table webhook.old_secret (
        id bigint generated always as identity primary key,
        project_id bigint not null,
        sealed text not null,
        until timestamptz not null
      )`)
    this.addSql('create index on webhook.old_secret (project_id)')
  }
}
