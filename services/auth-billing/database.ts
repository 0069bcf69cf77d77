/** Describes the schema `account`: projects, keys and billing. It is primary data: backed up, never rebuilt. */

import { defineDatabase } from '@tidemark/db/database'
import { outboxTable } from '@tidemark/db/outbox'

const signupIndexes = {
  signup_attempt_of_network: '(network_hash, at) where network_hash is not null',
  signup_attempt_of_intent: '(intent_id) where intent_id is not null',
}

export const database = defineDatabase({
  schema: 'account',
  entities: [],
  migrations: {
    /** Projects by name, keys by prefix, and the outbox for ACCOUNTS. */
    First: [
      `
      create table account.project (
        id bigint generated always as identity primary key,
        name text not null unique,
        tier text not null,
        unlimited boolean not null,
        created_at timestamptz not null
      )`,
      `
      create table account.key (
        prefix text primary key,
        hash text not null,
        project_id bigint not null references account.project,
        label text not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz
      )`,
      `create index on account.key (project_id)`,
      outboxTable('account'),
    ],
    /** The default proxy of a project's crawls: sealed, and as shown to people. */
    Proxies: [`alter table account.project add column proxy jsonb`],
    /** Mails that wait, and the results of their attempts. The sealed text of a mail is deleted when it is sent. */
    Mail: [
      `
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
      )`,
      `create index on account.mail (next_at) where next_at is not null`,
    ],
    /** Caps of a project in place of its tier's, caps of a key, and the default cloud mode of a project's scans. */
    Caps: [
      `alter table account.project add column caps jsonb, add column cloud_mode text`,
      `alter table account.key add column caps jsonb`,
    ],
    /**
     * Signups: attempts (with a keyed hash of the address), unpaid intents, the billing data of projects, and the received
     * events of the payment provider. Only these tables and the mails have addresses of people.
     */
    Signup: [
      `
      create table account.signup_attempt (
        id bigint generated always as identity primary key,
        ip_hash text not null,
        at timestamptz not null,
        succeeded_at timestamptz
      )`,
      `create index on account.signup_attempt (ip_hash, at)`,
      `create index on account.signup_attempt (succeeded_at) where succeeded_at is not null`,
      `
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
      )`,
      `create unique index intent_holds_name on account.intent (project_name)
      where status in ('pending', 'checkout_created', 'fulfilled')`,
      `create index on account.intent (expires_at) where status in ('pending', 'checkout_created')`,
      `
      create table account.billing (
        project_id bigint primary key references account.project,
        customer text,
        subscription text,
        status text,
        email text,
        mode text,
        updated_at timestamptz not null
      )`,
      `
      create table account.payment_event (
        id text primary key,
        type text not null,
        intent_id bigint not null,
        received_at timestamptz not null
      )`,
    ],
    /**
     * Adds the session of a payment event, and the reason when it created no project. Such an event may have no intent. An
     * index finds unsent mails among the sent ones.
     */
    Unfulfilled: [
      `alter table account.payment_event
      alter column intent_id drop not null, add column session_id text, add column reason text`,
      `create index on account.mail (created_at) where sent_at is null`,
    ],
    /**
     * Adds the IPv6 /48 of an attempt to sign up, as a keyed hash, and its intent: unpaid ones are counted separately from
     * successful signups.
     */
    Networks: {
      alone: [
        `alter table account.signup_attempt
      add column if not exists network_hash text, add column if not exists intent_id bigint`,
        ...Object.entries(signupIndexes).flatMap(([index, on]) => [
          `drop index concurrently if exists account.${index}`,
          `create index concurrently ${index} on account.signup_attempt ${on}`,
        ]),
      ],
    },
    /** The consent of a project that pages are sent to a language model: its host, the key that gave it, and the time. */
    ModelConsent: [`alter table account.project add column model_consent jsonb`],
    /** The ends of shares, by run. */
    SharesEnded: [`alter table account.project add column shares_ended jsonb`],
    /** The number of changes of a project's keys, shares and consent on the last day that had any. */
    AccountChanges: [
      `alter table account.project add column changed_on date, add column changes integer not null default 0`,
    ],
  },
})
