/**
 * Signups: attempts (with a keyed hash of the address), unpaid intents, the billing data of projects, and the received
 * events of the payment provider. Only these tables and the mails have addresses of people.
 */
import { Migration } from '@mikro-orm/migrations'

export class Signup extends Migration {
  override up(): void {
    this.addSql(`
      create table account.signup_attempt (
        id bigint generated always as identity primary key,
        ip_hash text not null,
        at timestamptz not null,
        succeeded_at timestamptz
      )`)
    this.addSql(`create index on account.signup_attempt (ip_hash, at)`)
    this.addSql(`create index on account.signup_attempt (succeeded_at) where succeeded_at is not null`)
    this.addSql(`
      create table account.intent (
        id bigint generated always as identity primary key,
        tier text not null,
        project_name text not null,
        email text not null,
        status text not null check (status in ('pending', 'checkout_created', 'fulfilled', 'expired', 'failed')),
        checkout_session_id text unique,
        checkout_url text,
        mock boolean not null,
        client_ip_hash text not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        fulfilled_at timestamptz,
        project_id bigint references account.project
      )`)
    this.addSql(`create unique index intent_holds_name on account.intent (project_name)
      where status in ('pending', 'checkout_created', 'fulfilled')`)
    this.addSql(`create index on account.intent (expires_at) where status in ('pending', 'checkout_created')`)
    this.addSql(`
      create table account.billing (
        project_id bigint primary key references account.project,
        customer text,
        subscription text,
        status text,
        email text,
        mode text,
        updated_at timestamptz not null
      )`)
    this.addSql(`
      create table account.payment_event (
        id text primary key,
        type text not null,
        intent_id bigint not null,
        received_at timestamptz not null
      )`)
  }
}
