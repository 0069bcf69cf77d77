/** The frame of all screens of a crawl: its title, its state and its tabs. */
import { NotFoundError, type Run } from '@tidemark/sdk'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { addressOf, base } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { type Reading, useInterval, useReading } from '../data/reading.ts'
import { sharedCrawl } from '../data/session.ts'
import type { Call } from '../data/snippets.ts'
import { count } from '../data/words.ts'
import { Screen, Tabs } from '../parts/layout.tsx'
import { Mark } from '../parts/marks.tsx'

/** Milliseconds between two reads of a crawl that has not ended. */
export const reloadMs = 4000

/** Reads a crawl, and again until it has ended. A crawl that is deleted meanwhile has no data. */
export function useRun(id: number): Reading<Run> {
  const run = useReading(signal => tidemark.crawls.get(id, { signal }), [id])
  const isDeleted = run.error instanceof NotFoundError
  useInterval(run.refresh, reloadMs, !isDeleted && run.data !== null && run.data.finished_at === null)
  return isDeleted ? { ...run, data: null } : run
}

/** Returns the end of a crawl if the screen has shown the crawl running, else null. */
export function useSeenEnd(run: Run | null): string | null {
  const wasRunning = useRef(false)
  if (run !== null && run.finished_at === null) wasRunning.current = true
  return wasRunning.current ? (run?.finished_at ?? null) : null
}

type Props = {
  id: number
  run: Run | null
  current: 'Overview' | 'Pages' | 'Errors' | 'Links' | 'Audit' | 'Explain' | 'Webhooks'
  commands?: ComponentChildren
  call: Call
  children: ComponentChildren
}

export function RunFrame({ id, run, current, commands, call, children }: Props) {
  const tab = (name: Props['current'], path: string, total?: number) => ({
    name,
    address: addressOf(`/crawls/${id}${path}`),
    isCurrent: name === current,
    count: total === undefined ? undefined : count(total),
  })
  const isOwn = sharedCrawl() === null
  // The overview of a running crawl shows newer numbers, so the frame has numbers only after the end.
  const ended = run?.finished_at ? run : null
  return (
    <Screen
      title={run === null ? `Crawl ${id}` : run.url}
      mark={run && <Mark state={run.paused_at ? 'paused' : run.status} />}
      trail={
        isOwn ? (
          <>
            <a href={base}>Crawls</a> <span aria-hidden="true">/</span> {id}
          </>
        ) : (
          <>Crawl {id}</>
        )
      }
      commands={commands}
      call={call}
    >
      <Tabs
        label="Parts of the crawl"
        tabs={[
          tab('Overview', ''),
          tab('Pages', '/pages', ended?.page_count),
          tab('Errors', '/errors', ended?.error_count),
          tab('Links', '/links'),
          ...(isOwn ? [tab('Audit', '/audit')] : []),
          tab('Explain', '/explain'),
          ...(isOwn ? [tab('Webhooks', '/deliveries')] : []),
        ]}
      />
      {children}
    </Screen>
  )
}
