/** The failed URLs of a crawl, each with its reason. */
import type { RunError } from '@tidemark/sdk'
import { addressOf } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { partsTitle, useParts } from '../data/parts.ts'
import { spoken } from '../data/words.ts'
import { More } from '../parts/controls.tsx'
import { Panel } from '../parts/layout.tsx'
import { Time } from '../parts/marks.tsx'
import { Empty, Waiting } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RunFrame, useRun, useSeenEnd } from './run-frame.tsx'

export function RunErrors({ id }: { id: number }) {
  const run = useRun(id)
  const errors = useParts(
    (offset, signal) => tidemark.crawls.errors(id, { limit: 1000, offset, signal }),
    [id, useSeenEnd(run.data)],
  )
  const { first, items } = errors
  return (
    <RunFrame {...{ id, run: run.data, current: 'Errors' }} call={{ id: 'listErrors', path: { id } }}>
      <Panel title={partsTitle(errors, 'failed URL')} isFlush>
        <Waiting reading={first} what="errors" />
        {items?.length === 0 && <Empty title="No URL failed. Responses such as 404 are pages, not errors." />}
        {items && items.length > 0 && (
          <Table caption="Failed URLs" columns={columnsOf(id)} rows={items} rowKey={({ url }) => url} />
        )}
        <More parts={errors} />
      </Panel>
    </RunFrame>
  )
}

const columnsOf = (id: number): Column<RunError>[] => [
  {
    key: 'url',
    label: 'URL',
    isMain: true,
    cell: ({ url }) => <a href={addressOf(`/crawls/${id}/explain`, { url })}>{url}</a>,
  },
  { key: 'reason', label: 'Reason', cell: ({ reason }) => spoken(reason) },
  {
    key: 'sentence',
    label: 'Explanation',
    isMinor: true,
    cell: ({ sentence }) => <span class="cut">{sentence}</span>,
  },
  { key: 'attempts', label: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { key: 'at', label: 'At', isMinor: true, cell: ({ at }) => <Time at={at} /> },
]
