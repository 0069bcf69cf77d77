/**
 * A transactional outbox: messages are written in the transaction that decides them, and a relay publishes them
 * afterwards. No committed message is lost, and no crash publishes one twice.
 *
 * A subject's rows are published in the order in which their transactions committed. A subject with rows without
 * `expectLast` is written by this outbox alone.
 */
import { traceHeaders } from '@tidemark/bus/trace'
import type { PoolClient } from 'pg'

export { type Relay, relay } from './outbox-relay.ts'

export type OutboxMessage = {
  subject: string
  payload: Uint8Array
  /** The sequence of the subject's last message, which the stream checks. 0: the subject has no message. Absent: not checked. */
  expectLast?: number
  headers?: Record<string, string>
}

/** Returns the DDL of `<schema>.outbox`, for a migration. */
export const outboxTable = (schema: string): string => `
  create table ${schema}.outbox (
    id bigint generated always as identity primary key,
    subject text not null,
    payload bytea not null,
    headers jsonb not null,
    expect_last bigint,
    created_at timestamptz not null default clock_timestamp()
  );
  create index on ${schema}.outbox (subject, id)`

const lockOfOutbox = 0x6f62

/**
 * Writes a message into the outbox within the caller's transaction, and returns the row's id. Transactions that write
 * on the same subject wait for each other here, so that ids and commits have one order.
 */
export async function enqueue(
  client: PoolClient,
  schema: string,
  { subject, payload, expectLast, headers = {} }: OutboxMessage,
): Promise<number> {
  const { rows } = await client.query(
    `with locked as materialized (select pg_advisory_xact_lock($1, hashtext($2 || '.' || $3)))
     insert into ${schema}.outbox (subject, payload, headers, expect_last)
     select $3, $4, $5, $6 from locked
     returning id`,
    [lockOfOutbox, schema, subject, viewOf(payload), traced(headers), expectLast ?? null],
  )
  return Number(rows[0].id)
}

/**
 * Writes many messages in one statement within the caller's transaction, and returns the ids of the rows in the same
 * order. For small messages: many payloads are sent as text, at twice their size.
 */
export async function enqueueAll(
  client: PoolClient,
  schema: string,
  messages: readonly OutboxMessage[],
): Promise<number[]> {
  if (messages.length === 0) return []
  // Locks are taken in one order, so that transactions that take several never deadlock.
  const { rows } = await client.query(
    `with locked as materialized (
       select pg_advisory_xact_lock($1, place.hash) from (
         select distinct hashtext($2 || '.' || subject) as hash from unnest($3::text[]) as subject order by hash
       ) as place
     )
     insert into ${schema}.outbox (subject, payload, headers, expect_last)
     select subject, payload, headers, expect_last
     from unnest($3::text[], $4::bytea[], $5::jsonb[], $6::bigint[])
       with ordinality as message (subject, payload, headers, expect_last, place)
     where (select count(*) from locked) > 0
     order by place
     returning id`,
    [
      ...[lockOfOutbox, schema, messages.map(({ subject }) => subject)],
      messages.map(({ payload }) => viewOf(payload)),
      messages.map(({ headers = {} }) => JSON.stringify(traced(headers))),
      messages.map(({ expectLast }) => expectLast ?? null),
    ],
  )
  return rows.map(({ id }) => Number(id))
}

/** Returns the headers with the caller's trace, because the relay does not run in it. */
const traced = (headers: Record<string, string>) => ({ ...traceHeaders(), ...headers })

/** Returns a Buffer over the same bytes, which `pg` sends as `bytea`. */
const viewOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
