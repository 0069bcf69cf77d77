/** The monitors of the project: repeated crawls with their schedule. */
import { useSignal } from '@preact/signals'
import type { Monitor } from '@tidemark/sdk'
import { addressOf } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useCommand, useInterval, useReading } from '../data/reading.ts'
import { scheduleWords } from '../data/schedule.ts'
import { Input, withScheme } from '../parts/controls.tsx'
import { Snippet } from '../parts/copy-as.tsx'
import { CommandButton, Field, Panel, Screen, submitting } from '../parts/layout.tsx'
import { Mark, Time } from '../parts/marks.tsx'
import { Empty, Fault, Waiting } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'

export function Monitors() {
  const monitors = useReading(signal => tidemark.monitors.list({ signal }), [])
  const items = monitors.data?.items
  // A monitor does not name the state of its crawl, and may be due at any minute.
  useInterval(monitors.refresh, 10_000, items !== undefined && items.length > 0)
  return (
    <Screen title="Monitors" call={{ id: 'listMonitors' }}>
      <Panel title="Repeat a crawl">
        <Create onCreated={monitors.reload} />
      </Panel>
      <Panel title="Schedules" isFlush>
        <Waiting reading={monitors} what="monitors" />
        {items?.length === 0 && (
          <Empty title="No monitors yet. Create one above, or from a terminal:">
            <Snippet
              call={{
                id: 'startCrawl',
                body: { url: 'https://example.com/', cron: '0 6 * * *', timezone: zone },
              }}
            />
          </Empty>
        )}
        {items && items.length > 0 && (
          <Table
            caption="Monitors"
            columns={columnsOf(monitors.reload)}
            rows={items}
            rowKey={({ id }) => id}
          />
        )}
      </Panel>
    </Screen>
  )
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

function Create({ onCreated }: { onCreated: () => void }) {
  const url = useSignal('')
  const cron = useSignal('0 6 * * *')
  const creating = useCommand(async () => {
    await tidemark.monitors.create({
      url: withScheme(url.value.trim()),
      cron: cron.value.trim(),
      timezone: zone,
    })
    url.value = ''
    onCreated()
  })
  return (
    <form class="form" onSubmit={submitting(creating.run)}>
      <Field label="URL" isWide>
        {id => <Input id={id} value={url} placeholder="https://example.com/" />}
      </Field>
      <Field label="Schedule (crontab)" hint={`${scheduleWords(cron.value)}, in ${zone}`}>
        {id => <Input id={id} value={cron} />}
      </Field>
      <div class="form-foot">
        <button type="submit" class="main" disabled={creating.isRunning}>
          Create
        </button>
      </div>
      <Fault error={creating.error.value} />
    </form>
  )
}

const columnsOf = (reload: () => void): Column<Monitor>[] => [
  {
    key: 'url',
    label: 'Site',
    isMain: true,
    cell: ({ id, url }) => <a href={addressOf(`/monitors/${id}`)}>{url}</a>,
  },
  {
    key: 'schedule',
    label: 'Schedule',
    isMinor: true,
    cell: ({ schedule, timezone }) => (
      <span title={schedule}>{`${scheduleWords(schedule)} (${timezone})`}</span>
    ),
  },
  { key: 'state', label: 'State', cell: ({ enabled }) => <Mark state={enabled ? 'active' : 'paused'} /> },
  {
    key: 'last',
    label: 'Last',
    isMinor: true,
    cell: ({ last_status, last_run_id }) =>
      last_run_id !== null && <a href={addressOf(`/crawls/${last_run_id}`)}>{last_status ?? last_run_id}</a>,
  },
  {
    key: 'failures',
    label: 'Failures in a row',
    isNumber: true,
    isMinor: true,
    cell: ({ consecutive_failures }) => consecutive_failures,
  },
  { key: 'next', label: 'Next', isMinor: true, cell: ({ next_fires_at }) => <Time at={next_fires_at} /> },
  { key: 'do', label: 'Commands', cell: monitor => <Commands monitor={monitor} onChanged={reload} /> },
]

function Commands({ monitor: { id, enabled, url }, onChanged }: { monitor: Monitor; onChanged: () => void }) {
  const changing = (work: () => Promise<unknown>) => async () => {
    await work()
    onChanged()
  }
  const run = useCommand(changing(() => tidemark.monitors.run(id)))
  const pause = useCommand(changing(() => tidemark.monitors.change(id, { enabled: !enabled })))
  const remove = useCommand(changing(() => tidemark.monitors.delete(id)))
  return (
    <span class="row-commands">
      <CommandButton command={run}>Run now</CommandButton>
      <CommandButton command={pause}>{enabled ? 'Pause' : 'Resume'}</CommandButton>
      <CommandButton
        command={remove}
        kind="danger"
        confirm={`Delete the monitor of ${url}? Its crawls are kept.`}
      >
        Delete
      </CommandButton>
    </span>
  )
}
