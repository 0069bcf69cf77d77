/** Mails that wait, and the results of their attempts. The sealed text of a mail is deleted when it is sent. */
import { Migration } from '@mikro-orm/migrations'

export class Mail extends Migration {
  override up(): void {
    this.addSql(`
      create table account.mail (
        id bigint generated always as identity primary key,
        key text not null unique,
        recipient text not null,
        subject text not null,
        body text,
        created_at timestamptz not null default clock_timestamp(),
        next_at timestamptz default clock_timestamp(),
        attempts integer not null default 0,
        sent_at timestamptz,
        given_up_at timestamptz,
        last_error text
      )`)
    this.addSql(`create index on account.mail (next_at) where next_at is not null`)
  }
}
