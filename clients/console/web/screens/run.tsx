/** One crawl: its progress as it happens, its coverage, and its commands. */

import { type Signal, useSignal } from '@preact/signals'
import type { Coverage, Run as RunView } from '@tidemark/sdk'
import { addressOf } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useCommand, useInterval, useReading } from '../data/reading.ts'
import { useRunEvents } from '../data/run-events.ts'
import { sharedCrawl } from '../data/session.ts'
import { count, duration, spoken } from '../data/words.ts'
import { CommandButton, Facts, Figures, Panel } from '../parts/layout.tsx'
import { Time } from '../parts/marks.tsx'
import { Fault, Waiting } from '../parts/messages.tsx'
import { Bars, type Share, ShareBar } from '../parts/pictures.tsx'
import { RunFrame, useRun } from './run-frame.tsx'
import { Tail } from './run-tail.tsx'
import { SharePanel } from './share.tsx'

/** Longer crawls that have ended are not replayed. */
const maxReplayed = 3000

export function Run({ id }: { id: number }) {
  const run = useRun(id)
  const coverage = useReading(signal => tidemark.crawls.coverage(id, { signal }), [id])
  const { data } = run
  const isActive = data !== null && data.finished_at === null
  const reload = () => {
    run.reload()
    coverage.reload()
  }
  // Events have more than a share may show, so its screen reads the numbers again instead.
  const isFollowed = sharedCrawl() === null && data !== null && (isActive || data.page_count <= maxReplayed)
  const events = useRunEvents(id, isFollowed, reload)
  useInterval(reload, 2000, isActive)
  const progress = isActive ? (events.progress.value ?? withoutEvents(coverage.data)) : null
  const isSharing = useSignal(false)
  return (
    <RunFrame
      {...{ id, run: data, current: 'Overview', call: { id: 'getCrawl', path: { id } } }}
      commands={
        data &&
        (sharedCrawl() === null ? (
          <Commands run={data} onChanged={reload} isSharing={isSharing} />
        ) : (
          <SeeChanges run={data} />
        ))
      }
    >
      {isSharing.value && <SharePanel id={id} />}
      <Waiting reading={run} what="the crawl" />
      {data && (
        <Numbers run={data} progress={progress} rate={isActive && isFollowed ? events.rate.value : null} />
      )}
      {data?.error_message && <Fault error={new Error(data.error_message)} />}
      <div class="columns">
        <Panel title="Coverage" aside={coverage.data && <Sum coverage={coverage.data} />}>
          <Waiting reading={coverage} what="the coverage" />
          {coverage.data && (
            <ShareBar
              label="All discovered URLs by what became of them"
              whole="Discovered"
              total={coverage.data.discovered}
              shares={sharesOf(coverage.data)}
            />
          )}
        </Panel>
        <Panel title="Facts">{data && <RunFacts run={data} coverage={coverage.data} />}</Panel>
      </div>
      {events.points.value.length > 1 && (
        <Panel title="Pages over time">
          <Bars points={events.points.value} label="Pages fetched over time" unit="pages" />
        </Panel>
      )}
      {isFollowed && <Tail id={id} events={events} isActive={isActive} />}
    </RunFrame>
  )
}

/** The progress of a crawl whose events are not followed. Its other numbers are on the crawl itself. */
const withoutEvents = (coverage: Coverage | null) => ({
  page_count: 0,
  error_count: 0,
  pending: coverage?.pending ?? 0,
})

type NumbersProps = {
  run: RunView
  progress: { page_count: number; error_count: number; pending: number } | null
  /** Null: the crawl has ended. */
  rate: number | null
}

function Numbers({ run, progress, rate }: NumbersProps) {
  const { started_at, finished_at, page_count, error_count } = run
  const end = finished_at === null ? Date.now() : Date.parse(finished_at)
  const took = started_at === null ? 0 : end - Date.parse(started_at)
  const pages = Math.max(progress?.page_count ?? 0, page_count)
  const average = took > 0 ? pages / (took / 1000) : 0
  return (
    <Figures
      figures={[
        ['Pages', count(pages)],
        ['Errors', count(Math.max(progress?.error_count ?? 0, error_count))],
        ['Pending', count(progress?.pending ?? 0)],
        ['Pages a second', (rate ?? average).toFixed(1)],
        ['Time', took > 0 ? duration(took) : '–'],
      ]}
    />
  )
}

type CommandsProps = { run: RunView; onChanged: () => void; isSharing: Signal<boolean> }

function Commands({ run, onChanged, isSharing }: CommandsProps) {
  const { id, url, status, paused_at, error_count } = run
  const changing = (work: () => Promise<unknown>) => async () => {
    await work()
    onChanged()
  }
  const pause = useCommand(
    changing(() => (paused_at ? tidemark.crawls.resume(id) : tidemark.crawls.pause(id))),
  )
  const cancel = useCommand(changing(() => tidemark.crawls.cancel(id)))
  const retry = useCommand(changing(() => tidemark.crawls.retryFailed(id)))
  if (status === 'queued' || status === 'running')
    return (
      <>
        <CommandButton command={pause}>{paused_at ? 'Resume' : 'Pause'}</CommandButton>
        <CommandButton command={cancel} kind="danger" confirm="Cancel this crawl? Its pages are kept.">
          Cancel
        </CommandButton>
        <ShareButton isSharing={isSharing} />
      </>
    )
  return (
    <>
      {error_count > 0 && status !== 'cancelled' && (
        <CommandButton command={retry}>Retry failed</CommandButton>
      )}
      <SeeChanges run={run} />
      <ShareButton isSharing={isSharing} />
      <a class="button" href={addressOf('/', { url })}>
        Start again …
      </a>
    </>
  )
}

const ShareButton = ({ isSharing }: { isSharing: Signal<boolean> }) => (
  <button type="button" aria-expanded={isSharing.value} onClick={() => (isSharing.value = !isSharing.value)}>
    Share
  </button>
)

const SeeChanges = ({ run: { id, previous_run_id } }: { run: RunView }) =>
  previous_run_id === null ? null : (
    <a class="button" href={addressOf('/diff', { old: previous_run_id, new: id })}>
      Changes
    </a>
  )

const Sum = ({ coverage: { holds } }: { coverage: Coverage }) => (
  <span class="quiet">
    {holds ? 'Every URL is accounted for.' : 'The parts do not add up: please report this.'}
  </span>
)

/** The reasons with the most URLs, in one line. */
const topOf = (reasons: Record<string, number>): string =>
  Object.entries(reasons)
    .filter(([, value]) => value > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([name, value]) => `${spoken(name)} ${count(value)}`)
    .join(', ')

function sharesOf(coverage: Coverage): Share[] {
  const { fetched, failed, skipped, duplicate, not_reached, pending, not_modified } = coverage
  const { trap, ...rules } = skipped.by_reason
  return [
    {
      name: 'Fetched',
      value: fetched,
      tone: 'good',
      detail: not_modified.pages > 0 ? `not modified ${count(not_modified.pages)}` : '',
    },
    { name: 'Failed', value: failed.total, tone: 'bad', detail: topOf(failed.by_reason) },
    { name: 'Skipped', value: skipped.total, tone: 'wait', detail: topOf({ ...rules, ...trap }) },
    { name: 'Duplicate', value: duplicate, tone: 'twin' },
    { name: 'Not reached', value: not_reached.total, tone: 'off', detail: topOf(not_reached.by_limit) },
    { name: 'Pending', value: pending, tone: 'live' },
  ]
}

function RunFacts({ run, coverage }: { run: RunView; coverage: Coverage | null }) {
  const policies = Object.entries(run.ai_bot_policy ?? {})
  const refused = policies.filter(([, verdict]) => verdict === 'disallowed').map(([bot]) => bot)
  return (
    <Facts
      facts={[
        ['Accepted', <Time key="a" at={run.enqueued_at} />],
        ['Started', <Time key="s" at={run.started_at} />],
        ['Ended', run.finished_at && <Time key="e" at={run.finished_at} />],
        ['Paused', run.paused_at && <Time key="p" at={run.paused_at} />],
        ['Ended by', run.stop_reason && spoken(run.stop_reason)],
        ['Error', run.error_reason],
        ['Sitemaps read', coverage && count(coverage.sitemaps.read)],
        ['Proxy', run.proxy_url],
        ['AI bots refused', policies.length > 0 && (refused.length > 0 ? refused.join(', ') : 'none')],
        ['llms.txt', run.llms_txt === null ? false : 'present'],
        [
          'Webhook',
          run.webhook_status && (
            <a key="w" href={addressOf(`/crawls/${run.id}/deliveries`)}>
              {spoken(run.webhook_status)}
            </a>
          ),
        ],
      ]}
    />
  )
}
