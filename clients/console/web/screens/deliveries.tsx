/** The webhooks of a crawl: every attempt, and the next one on request. */
import type { WebhookAttempt, WebhookDelivery } from '@tidemark/sdk'
import { useEffect, useRef } from 'preact/hooks'
import { addressQuery } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { mayChange } from '../data/deliveries.ts'
import { useCommand, useInterval, useReading } from '../data/reading.ts'
import { duration } from '../data/words.ts'
import { Pager } from '../parts/controls.tsx'
import { Snippet } from '../parts/copy-as.tsx'
import { CommandButton, Facts, Panel } from '../parts/layout.tsx'
import { Mark, Status, Time } from '../parts/marks.tsx'
import { Empty, Waiting } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RunFrame, useRun } from './run-frame.tsx'

const partLength = 100

export function Deliveries({ id }: { id: number }) {
  const run = useRun(id)
  const offset = Number(addressQuery.value.get('offset') ?? 0)
  const part = { limit: partLength, offset }
  const deliveries = useReading(signal => tidemark.crawls.deliveries(id, { ...part, signal }), [id, offset])
  const items = deliveries.data?.items
  const end = run.data?.finished_at ?? null
  const endSeen = useRef(Number.POSITIVE_INFINITY)
  useEffect(() => {
    if (end === null) return
    endSeen.current = Date.now()
    deliveries.refresh()
  }, [end])
  const isOpen = mayChange(run.data, items ?? [], Date.now() - endSeen.current)
  useInterval(deliveries.refresh, 3000, isOpen)
  return (
    <RunFrame
      {...{ id, run: run.data, current: 'Webhooks' }}
      call={{ id: 'listDeliveries', path: { id }, query: part }}
    >
      <Waiting reading={deliveries} what="deliveries" />
      {items?.length === 0 && isOpen && <Empty title="No webhook has been sent yet." />}
      {items?.length === 0 && run.data !== null && !isOpen && (
        <Empty title="This crawl sends no webhook. A crawl with webhook_url does, when it ends:">
          <Snippet
            call={{
              id: 'startCrawl',
              body: { url: run.data?.url ?? 'https://example.com/', webhook_url: 'https://example.com/hook' },
            }}
          />
        </Empty>
      )}
      {items?.map(delivery => (
        <Delivery key={delivery.id} run={id} delivery={delivery} onChanged={deliveries.reload} />
      ))}
      <Pager offset={offset} next={deliveries.data?.next_offset ?? null} length={partLength} isOldestFirst />
    </RunFrame>
  )
}

type Props = { run: number; delivery: WebhookDelivery; onChanged: () => void }

function Delivery({ run, delivery, onChanged }: Props) {
  const { id, event, url, state, attempts, decided_at, ended_at, next_attempt_at } = delivery
  const again = useCommand(async () => {
    await tidemark.crawls.redeliver(run, id)
    onChanged()
  })
  return (
    <Panel
      title={event}
      aside={
        <>
          <Mark state={state} />
          {(state === 'delivered' || state === 'dead') && (
            <CommandButton command={again}>Redeliver</CommandButton>
          )}
        </>
      }
    >
      <Facts
        facts={[
          ['To', url],
          ['Id', <code key="i">{id}</code>],
          ['Decided', <Time key="d" at={decided_at} />],
          ['Ended', ended_at && <Time key="e" at={ended_at} />],
          ['Next attempt', next_attempt_at && <Time key="n" at={next_attempt_at} />],
        ]}
      />
      {attempts.length > 0 && (
        <Table
          caption={`Attempts of ${event}`}
          columns={columns}
          rows={attempts}
          rowKey={({ round, attempt }) => `${round} ${attempt}`}
        />
      )}
    </Panel>
  )
}

const columns: Column<WebhookAttempt>[] = [
  { key: 'n', label: 'No.', cell: ({ round, attempt }) => (round > 1 ? `${round}.${attempt}` : attempt) },
  { key: 'at', label: 'At', cell: ({ at }) => <Time at={at} /> },
  { key: 'status', label: 'Status', cell: ({ status }) => <Status code={status} /> },
  {
    key: 'latency',
    label: 'Took',
    isNumber: true,
    isMinor: true,
    cell: ({ latency_ms }) => duration(latency_ms),
  },
  {
    key: 'error',
    label: 'Error',
    isMain: true,
    cell: ({ error, response_excerpt }) => <span class="wrap">{error ?? response_excerpt}</span>,
  },
]
