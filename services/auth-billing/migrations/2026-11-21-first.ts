/** Projects by name, keys by prefix, and the outbox for ACCOUNTS. */
import { Migration } from '@mikro-orm/migrations'
import { outboxTable } from '@tidemark/db/outbox'

export class First extends Migration {
  override up(): void {
    this.addSql(`
      create table account.project (
        id bigint generated always as identity primary key,
        name text not null unique,
        tier text not null,
        unlimited boolean not null,
        created_at timestamptz not null
      )`)
    this.addSql(`
      create table account.key (
        prefix text primary key,
        hash text not null,
        project_id bigint not null references account.project,
        label text not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz
      )`)
    this.addSql(`create index on account.key (project_id)`)
    this.addSql(outboxTable('account'))
  }
}
