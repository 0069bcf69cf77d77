/** Schema `read`: the projector writes it from the streams alone, and the gateway reads it. It can be rebuilt at any time. */
import { checkpointTable, checkpointTimes } from '@tidemark/db/checkpoint'
import { defineDatabase } from '@tidemark/db/database'

export const database = defineDatabase({
  schema: 'read',
  entities: [],
  migrations: {
    /** The read model's tables: runs, their pages, projects and keys. */
    First: [
      `
      create table read.run (
        id bigint primary key,
        project_id bigint not null,
        url text not null,
        status text not null,
        page_count integer not null default 0,
        error_count integer not null default 0,
        enqueued_at timestamptz not null,
        started_at timestamptz,
        finished_at timestamptz,
        error_message text,
        stop_reason text,
        discovered integer,
        skipped integer,
        duplicate integer,
        not_reached integer,
        pending integer
      )`,
      `create index run_of_project on read.run (project_id, id)`,
      `
      create table read.page (
        id bigint primary key,
        run_id bigint not null,
        project_id bigint not null,
        url_key text collate "C" not null,
        url text not null,
        requested_url text,
        status integer not null,
        bytes bigint not null,
        depth integer not null,
        fetched_at timestamptz not null,
        content_type text,
        title text,
        content_hash text collate "C" not null,
        raw_hash text collate "C" not null,
        unique (run_id, url_key)
      )`,
      `create index page_of_run on read.page (run_id, id)`,
      `
      create table read.project (
        id bigint primary key,
        name text not null,
        tier text not null,
        unlimited boolean not null
      )`,
      `
      create table read.key (
        prefix text collate "C" primary key,
        hash text not null,
        project_id bigint not null,
        label text not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        revoked_at timestamptz
      )`,
      checkpointTable('read'),
    ],
    /** The result of a run's webhook. */
    RunWebhook: [
      `
      alter table read.run
        add column webhook_status text,
        add column webhook_attempts integer not null default 0,
        add column webhook_last_error text`,
    ],
    /** Deleted runs whose rows remain to be removed. */
    Deletions: [`create table read.deleted_run (run_id bigint primary key)`],
    /** The previous run of the monitor, for runs that a monitor started. */
    PreviousRun: [`alter table read.run add column previous_run_id bigint`],
    /** A run's own proxy without its password, the trace in which the run began, and which pages were challenges. */
    CrawlFields: [
      `alter table read.run add column proxy_url text, add column trace_id text`,
      `alter table read.page add column blocked boolean not null default false`,
    ],
    /** Adds the default proxy of a project: its sealed URL, and its URL without the password. */
    ProjectProxy: [`alter table read.project add column proxy jsonb`],
    /** The statements of a run's site to AI bots. */
    RunSite: [
      `
      alter table read.run
        add column ai_bot_policy jsonb,
        add column llms_txt text,
        add column llms_full_txt text`,
    ],
    /** Indexes for look-ups of a project's runs other than by id: runs that ended recently, and runs of a seed URL. */
    RunLookups: [
      `create index on read.run (project_id, finished_at)`,
      // URLs are indexed by their hash, because a URL may be longer than an entry of an index.
      `create index on read.run (project_id, md5(url), id)`,
    ],
    /** The calls of each project, kept for the time of the setting. */
    Log: [
      `
      create table read.log (
        project_id bigint not null,
        ts timestamptz not null,
        request_id text not null,
        method text not null,
        path text not null,
        status integer not null,
        duration_ms real not null,
        client_ip text not null,
        primary key (project_id, ts, request_id)
      )`,
      `create index on read.log (ts)`,
    ],
    /** A project's limits in place of its tier's, the limits of a key, and the defaults of the project's scans. */
    ProjectCaps: [
      `alter table read.project add column caps jsonb, add column cloud_mode text`,
      `alter table read.key add column caps jsonb`,
    ],
    /**
     * URLs without a page that a run has judged, by reason, and the difference of a monitor's run from the previous one.
     */
    Diff: [
      `
      create table read.pageless (
        run_id bigint not null,
        project_id bigint not null,
        sequence bigint not null,
        cause text collate "C" not null,
        keys text[] not null,
        primary key (run_id, sequence, cause)
      )`,
      `alter table read.run add column diff jsonb`,
      `
      create index on read.run (id)
      where previous_run_id is not null and diff is null and status = 'done'`,
    ],
    /** Which pages a browser rendered. */
    Rendered: [`alter table read.page add column rendered boolean not null default false`],
    /** The redirect targets of URLs without a page: a key for each of `keys`, null for other causes. */
    RedirectTargets: [`alter table read.pageless add column targets text[]`],
    /** The time of the last read message, which identifies a stream. */
    CheckpointTimes: [checkpointTimes('read')],
    /** Why a run failed, as a word. */
    ErrorReason: [`alter table read.run add column error_reason text`],
    /** When the client paused a run. */
    Paused: [`alter table read.run add column paused_at timestamptz`],
    /** The rules of comparison of a run, and the hash of a page by them. */
    Comparison: [
      `alter table read.run add column comparison jsonb, add column min_changed_words integer`,
      `alter table read.page add column comparison_hash text`,
    ],
    /** The intent of a monitor's run that has a webhook, and whether its changes match. */
    Intent: ['alter table read.run add column intent text, add column judgement jsonb'],
    /** Index for the search for runs whose changes are not judged yet. */
    WaitingIntents: {
      alone: [
        'drop index concurrently if exists read.run_to_judge',
        `create index concurrently run_to_judge on read.run (id)
       where intent is not null and judgement is null and status = 'done'`,
      ],
    },
    /** The ends of shares, by run. */
    SharesEnded: [`alter table read.project add column shares_ended jsonb`],
    /** Indexes for the operator's view of all projects: runs that have not ended, and runs by the time of their start. */
    ActiveRuns: {
      alone: [
        'drop index concurrently if exists read.run_active',
        `create index concurrently run_active on read.run (project_id, status)
       where status in ('queued', 'running')`,
        'drop index concurrently if exists read.run_enqueued',
        `create index concurrently run_enqueued on read.run using brin (enqueued_at) with (autosummarize = on)`,
      ],
    },
    /** The run that a fork continues, and the pages that it has taken from the store. */
    Forks: [
      'alter table read.run add column forked_from bigint, add column pages_reused integer not null default 0',
      'alter table read.page add column carried boolean not null default false',
    ],
    /** The hosts that sent the pages, for their evidence. */
    Peers: ['alter table read.page add column address text, add column certificate text collate "C"'],
    /** Whether a run was reopened, so that its stored comparison may be about an earlier end. */
    Reopened: [
      'alter table read.run add column was_reopened boolean not null default false',
      // Events of earlier reopenings were projected before, and only the coordinator's table still has them.
      `
      do $$ begin
        if exists (select from information_schema.columns
            where table_schema = 'coordinator' and table_name = 'admission' and column_name = 'reopenings') then
          update read.run set was_reopened = true from coordinator.admission
            where admission.run_id = run.id and admission.reopenings > 0;
        end if;
      end $$`,
    ],
    /**
     * The host whose subdomains a run includes, for its links. Null for other runs, and for runs that started before
     * this column existed.
     */
    WideScope: ['alter table read.run add column wide_scope text'],
  },
})
