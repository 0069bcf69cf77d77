/** Webhooks of the project: the state of the last ones, a sample, all dead ones again, and the secret. */
import { useSignal } from '@preact/signals'
import type { Run, WebhookTestResult } from '@tidemark/sdk'
import { useRef } from 'preact/hooks'
import { addressOf } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { lateDeliveryMs } from '../data/deliveries.ts'
import { useCommand, useInterval, useReading } from '../data/reading.ts'
import { counted, duration } from '../data/words.ts'
import { Input } from '../parts/controls.tsx'
import { Snippet } from '../parts/copy-as.tsx'
import { CommandButton, Facts, Field, Panel, Screen, submitting } from '../parts/layout.tsx'
import { Mark, Status, Time } from '../parts/marks.tsx'
import { Empty, Fault, Waiting } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'

export function Webhooks() {
  const runs = useReading(signal => tidemark.crawls.list({ limit: 200, signal }), [])
  const items = runs.data?.items.filter(({ webhook_status }) => webhook_status !== null)
  const lastOpen = useRef(Number.NEGATIVE_INFINITY)
  if (runs.data?.items.some(mayChange)) lastOpen.current = Date.now()
  useInterval(runs.refresh, 5000, Date.now() - lastOpen.current < lateDeliveryMs)
  const isAnyDead = items?.some(({ webhook_status }) => webhook_status === 'dead') ?? false
  return (
    <Screen title="Webhooks" call={{ id: 'testWebhook', body: { url: 'https://example.com/hook' } }}>
      <div class="columns even">
        <Panel title="Send a sample">
          <Sample />
        </Panel>
        <Panel title="Signature">
          <Secret />
        </Panel>
      </div>
      <Panel
        title="Webhooks of the last crawls"
        aside={isAnyDead && <RedeliverDead onDone={runs.reload} />}
        isFlush
      >
        <Waiting reading={runs} what="webhooks" />
        {items?.length === 0 && (
          <Empty title="None of the last 200 crawls sent a webhook. Give one an address:">
            <Snippet
              call={{
                id: 'startCrawl',
                body: { url: 'https://example.com/', webhook_url: 'https://example.com/hook' },
              }}
            />
          </Empty>
        )}
        {items && items.length > 0 && (
          <Table caption="Webhooks" columns={columns} rows={items} rowKey={({ id }) => id} />
        )}
      </Panel>
    </Screen>
  )
}

const mayChange = ({ finished_at, webhook_status }: Run): boolean =>
  finished_at === null || webhook_status === 'pending'

function Sample() {
  const url = useSignal('')
  const result = useSignal<WebhookTestResult | null>(null)
  const sending = useCommand(async () => {
    result.value = null
    result.value = await tidemark.webhooks.test({ url: url.value.trim() })
  })
  return (
    <form class="form" onSubmit={submitting(sending.run)}>
      <Field label="Receiver" isWide hint="It receives one signed sample of crawl.done.">
        {id => <Input id={id} value={url} placeholder="https://example.com/hook" />}
      </Field>
      <div class="form-foot">
        <button type="submit" class="main" disabled={sending.isRunning}>
          {sending.isRunning ? 'Sending …' : 'Send'}
        </button>
      </div>
      <Fault error={sending.error.value} />
      {result.value && (
        <div class="estimate" role="status">
          <Facts
            facts={[
              ['Result', <Mark key="r" state={result.value.delivered ? 'delivered' : 'failed'} />],
              ['Status', <Status key="s" code={result.value.status} />],
              ['Took', duration(result.value.latency_ms)],
              ['Error', result.value.error],
              ['Response', result.value.response_excerpt],
            ]}
          />
        </div>
      )}
    </form>
  )
}

function Secret() {
  const secret = useSignal<string | null>(null)
  const showing = useCommand(async () => {
    secret.value = secret.value === null ? (await tidemark.webhooks.secret()).secret_hex : null
  })
  return (
    <div class="stack">
      <p>Receivers verify each webhook with the secret of the project. Only your servers may know it.</p>
      {secret.value !== null && <code class="secret">{secret.value}</code>}
      <CommandButton command={showing}>{secret.value === null ? 'Show the secret' : 'Hide'}</CommandButton>
    </div>
  )
}

const week = 7 * 86_400_000

function RedeliverDead({ onDone }: { onDone: () => void }) {
  const sent = useSignal<number | null>(null)
  const sending = useCommand(async () => {
    const { redelivered } = await tidemark.webhooks.redeliverDead({
      since: new Date(Date.now() - week).toISOString(),
    })
    sent.value = redelivered
    onDone()
  })
  return (
    <>
      {sent.value !== null && <span role="status">{counted(sent.value, 'webhook')} on the way</span>}
      <CommandButton command={sending}>Redeliver all that died in 7 days</CommandButton>
    </>
  )
}

const columns: Column<Run>[] = [
  {
    key: 'run',
    label: 'Crawl',
    isNumber: true,
    cell: ({ id }) => <a href={addressOf(`/crawls/${id}/deliveries`)}>{id}</a>,
  },
  {
    key: 'url',
    label: 'Site',
    isMain: true,
    cell: ({ id, url }) => (
      <a class="plain-link" href={addressOf(`/crawls/${id}/deliveries`)}>
        {url}
      </a>
    ),
  },
  { key: 'state', label: 'State', cell: ({ webhook_status }) => <Mark state={webhook_status ?? ''} /> },
  { key: 'attempts', label: 'Attempts', isNumber: true, cell: ({ webhook_attempts }) => webhook_attempts },
  {
    key: 'error',
    label: 'Last error',
    isMinor: true,
    cell: ({ webhook_last_error }) => <span class="cut">{webhook_last_error}</span>,
  },
  { key: 'ended', label: 'Crawl ended', isMinor: true, cell: ({ finished_at }) => <Time at={finished_at} /> },
]
