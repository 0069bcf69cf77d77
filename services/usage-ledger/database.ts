/**
 * Describes the schema `ledger`: spent and held units. Units and counters can be rebuilt from USAGE, the other tables
 * cannot.
 */
import { checkpointTable, checkpointTimes } from '@tidemark/db/checkpoint'
import { defineDatabase } from '@tidemark/db/database'

export const database = defineDatabase({
  schema: 'ledger',
  entities: [],
  migrations: {
    /** Spent units, counters by project and day, the project of each run, and the checkpoints of both readers. */
    First: [
      `
      create table ledger.unit (
        token text primary key,
        project_id bigint not null,
        run_id bigint not null,
        page_id bigint not null,
        kind text not null,
        day date not null,
        sequence bigint not null,
        created_at timestamptz not null default now()
      )`,
      `
      create table ledger.counter (
        project_id bigint not null,
        day date not null,
        pages bigint not null default 0,
        cloud_pages bigint not null default 0,
        cloud_cost_usd numeric(16, 6) not null default 0,
        primary key (project_id, day)
      ) with (fillfactor = 50)`,
      `create table ledger.run (run_id bigint primary key, project_id bigint not null)`,
      checkpointTable('ledger'),
    ],
    /** Units of requests beside those of runs, their operation and target, and the units that requests hold. */
    Served: [
      `
      alter table ledger.unit
        alter column run_id drop not null,
        alter column page_id drop not null,
        add column request_id text,
        add column operation text,
        add column what text,
        add column cost_usd numeric(16, 6) not null default 0,
        add check (num_nonnulls(run_id, request_id) = 1)`,
      `
      create table ledger.reservation (
        project_id bigint not null,
        request_id text not null,
        kind text not null,
        units integer not null,
        reason text,
        expires_at timestamptz not null,
        primary key (project_id, request_id, kind)
      )`,
      `create index on ledger.reservation (expires_at)`,
    ],
    /**
     * Units that runs hold for pages that are not settled yet, the recorded units of each run, and the billed units of ended
     * runs.
     */
    Holds: [
      `
      create table ledger.hold (
        run_id bigint primary key,
        project_id bigint not null,
        granted bigint not null
      )`,
      `create index on ledger.hold (project_id)`,
      `alter table ledger.run add column billable bigint`,
      `create table ledger.billed_run (run_id bigint primary key, units bigint not null)`,
      `
      insert into ledger.billed_run (run_id, units)
      select run_id, count(*) from ledger.unit where run_id is not null group by run_id`,
    ],
    /**
     * Free attempts are rows of 0 units, and the bill can be read by day, by run and by request. Bills of runs are read
     * seldom and their rows lie together, so a block range index is enough and costs a crawl nothing.
     */
    Waived: [
      `
      alter table ledger.unit
        add column units smallint not null default 1,
        add column reason text,
        add column attempt smallint`,
      `create index unit_of_day on ledger.unit (project_id, day, sequence)`,
      `create index unit_of_request on ledger.unit (request_id) where request_id is not null`,
      `create index unit_of_run on ledger.unit using brin (run_id) with (autosummarize = on)`,
    ],
    /** Cloud pages of runs beside their pages: the granted units, those in the ledger, and those billed at the end. */
    CloudHolds: [
      `alter table ledger.hold add column cloud_granted bigint not null default 0`,
      `alter table ledger.run add column cloud_billable bigint not null default 0`,
      `alter table ledger.billed_run add column cloud_units bigint not null default 0`,
    ],
    /** The time of the last message that was read. It identifies a stream that lost its end. */
    CheckpointTimes: [checkpointTimes('ledger')],
    /** The language model and its tokens, for rows of calls of a model. */
    ModelCalls: [
      `
      alter table ledger.unit
        add column model text,
        add column input_tokens bigint,
        add column output_tokens bigint`,
    ],
    /** Counts the calls of a language model by project and day, for their cap. */
    ModelCallCounter: ['alter table ledger.counter add column model_calls bigint not null default 0'],
    /** Index for the sums of a day and of a month over all projects. */
    CounterDays: {
      alone: [
        'drop index concurrently if exists ledger.counter_of_day',
        'create index concurrently counter_of_day on ledger.counter (day)',
      ],
    },
    /** Counts the results of a project that cost nothing, by day, for their limit. The ledger lists only some of them. */
    FreeResults: [
      `
      create table ledger.free_result (
        project_id bigint not null,
        day date not null,
        pages bigint not null default 0,
        cloud_pages bigint not null default 0,
        primary key (project_id, day)
      ) with (fillfactor = 50)`,
    ],
    /**
     * The number of reopenings of a run that the ledger has read. Null: a process of an earlier version has stored the
     * run, and may have read reopenings without counting them. A default of 0 would claim a known number for those
     * runs.
     */
    Reopenings: [`alter table ledger.run add column reopenings integer`],
  },
})
