/** One crawl: its progress as it happens, its coverage, and its commands. */

import { type Signal, useSignal } from '@preact/signals'
import type { Coverage, Run as RunView } from '@tidemark/sdk'
import { addressOf } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useCommand, useInterval } from '../data/reading.ts'
import { type RunEvents, useRunEvents } from '../data/run-events.ts'
import { sharedCrawl } from '../data/session.ts'
import { count, duration, endedBy, spoken } from '../data/words.ts'
import { CommandButton, Facts, Figures, Panel } from '../parts/layout.tsx'
import { Time } from '../parts/marks.tsx'
import { Fault, Waiting } from '../parts/messages.tsx'
import { Bars } from '../parts/pictures.tsx'
import { CoveragePanel, useCoverage } from './run-coverage.tsx'
import { RunFrame, reloadMs, useRun } from './run-frame.tsx'
import { Tail } from './run-tail.tsx'
import { SharePanel } from './share.tsx'

/** Maximum number of pages of an ended crawl whose events are replayed. */
const maxReplayed = 3000

export function Run({ id }: { id: number }) {
  const run = useRun(id)
  const coverage = useCoverage(id)
  const { data } = run
  const isActive = data !== null && data.finished_at === null
  const reload = () => {
    run.reload()
    coverage.reload()
  }
  // Events contain data that a share must not show, so a shared screen reads the numbers repeatedly instead.
  const isFollowed = sharedCrawl() === null && data !== null && (isActive || data.page_count <= maxReplayed)
  const finishedAt = data?.finished_at ?? null
  const events = useRunEvents(id, {
    ...{ isWanted: isFollowed, finishedAt },
    ...{ lastRead: data, onChange: reload },
  })
  // The coverage of a large crawl takes the service some time, and its events have the numbers that change fast.
  useInterval(coverage.refreshIfDue, reloadMs, isActive)
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
        <Numbers run={data} pending={coverage.data?.pending ?? 0} events={isFollowed ? events : null} />
      )}
      {data?.error_message && <Fault error={new Error(data.error_message)} />}
      <div class="columns">
        <CoveragePanel id={id} coverage={coverage} />
        <Panel title="Facts">{data && <RunFacts run={data} coverage={coverage.data} />}</Panel>
      </div>
      <PagesOverTime events={events} />
      {isFollowed && <Tail run={data} events={events} isActive={isActive} />}
    </RunFrame>
  )
}

/** Reads the events itself, so that only the chart changes with them. */
function PagesOverTime({ events: { points } }: { events: RunEvents }) {
  if (points.value.length < 2) return null
  return (
    <Panel title="Pages over time">
      <Bars points={points.value} label="Pages fetched over time" unit="pages" />
    </Panel>
  )
}

type NumbersProps = {
  run: RunView
  /** Pending URLs according to the coverage, for a crawl that is not followed. */
  pending: number
  /** Null: the crawl is not followed. */
  events: RunEvents | null
}

/** Reads the events itself, so that only the numbers change with them. */
function Numbers({ run, pending, events }: NumbersProps) {
  const { started_at, finished_at, page_count, error_count } = run
  const isActive = finished_at === null
  const progress = isActive ? (events?.progress.value ?? null) : null
  const rate = isActive ? (events?.rate.value ?? null) : null
  const end = finished_at === null ? Date.now() : Date.parse(finished_at)
  const took = started_at === null ? 0 : end - Date.parse(started_at)
  const pages = Math.max(progress?.page_count ?? 0, page_count)
  const average = took > 0 ? pages / (took / 1000) : 0
  return (
    <Figures
      figures={[
        ['Pages', count(pages)],
        ['Errors', count(Math.max(progress?.error_count ?? 0, error_count))],
        ['Pending', count(isActive ? (progress?.pending ?? pending) : 0)],
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
        ['Ended by', run.stop_reason && endedBy(run.stop_reason)],
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
