/** The calls of the project: those of programs, and those of this console. */
import type { LogEntry } from '@tidemark/sdk'
import { addressQuery, changeQuery } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { logSelection } from '../data/log-selection.ts'
import { useReading } from '../data/reading.ts'
import { duration } from '../data/words.ts'
import { Pager } from '../parts/controls.tsx'
import { Panel, Screen } from '../parts/layout.tsx'
import { Status, Time } from '../parts/marks.tsx'
import { Empty, Waiting } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'

export function Log() {
  const selection = logSelection(addressQuery.value)
  const { limit, offset, until, status_min } = selection
  const isFailed = status_min !== undefined
  const log = useReading(signal => tidemark.account.logs({ ...selection, signal }), [isFailed, offset, until])
  const only = (
    <label class="check">
      <input
        type="checkbox"
        checked={isFailed}
        onChange={event =>
          changeQuery({ only: event.currentTarget.checked ? 'errors' : null, offset: null, until: null })
        }
      />
      Errors only
    </label>
  )
  return (
    <Screen title="Log" call={{ id: 'listLogs', query: selection }}>
      <Panel title="Calls of the API, newest first" aside={only} isFlush>
        <Waiting reading={log} what="calls" />
        {log.data?.items.length === 0 && <Empty title={isFailed ? 'No call failed.' : 'No calls yet.'} />}
        {log.data && log.data.items.length > 0 && (
          <Table
            caption="Calls"
            columns={columns}
            rows={log.data.items}
            rowKey={({ request_id }) => request_id}
          />
        )}
        <Pager
          offset={offset}
          next={log.data?.next_offset ?? null}
          length={limit}
          until={until ?? (offset === 0 ? log.data?.items[0]?.ts : undefined)}
        />
      </Panel>
    </Screen>
  )
}

const columns: Column<LogEntry>[] = [
  { key: 'ts', label: 'At', cell: ({ ts }) => <Time at={ts} /> },
  { key: 'method', label: 'Method', cell: ({ method }) => <code>{method}</code> },
  { key: 'path', label: 'Path', isMain: true, cell: ({ path }) => path },
  { key: 'status', label: 'Status', cell: ({ status }) => <Status code={status} /> },
  {
    key: 'took',
    label: 'Took',
    isNumber: true,
    isMinor: true,
    cell: ({ duration_ms }) => duration(duration_ms),
  },
  { key: 'ip', label: 'Client', isMinor: true, cell: ({ client_ip }) => client_ip },
  {
    key: 'id',
    label: 'Request',
    isMinor: true,
    cell: ({ request_id }) => <code>{request_id.slice(0, 8)}</code>,
  },
]
