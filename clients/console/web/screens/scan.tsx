/** Reads one page now, and shows its content and its cost. */
import { signal, useSignal } from '@preact/signals'
import { metaOf, type Scan as ScanResult } from '@tidemark/sdk'
import { addressOf, addressQuery, changeQuery } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useCommand } from '../data/reading.ts'
import { readerOf } from '../data/session.ts'
import { bytes, counted } from '../data/words.ts'
import { Check, Choice, Input, useTyped, withScheme } from '../parts/controls.tsx'
import { Facts, Field, Panel, Screen, submitting } from '../parts/layout.tsx'
import { Status, Time } from '../parts/marks.tsx'
import { Empty, Fault } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Text } from '../parts/text.tsx'
import { Tried } from '../parts/tried.tsx'

const modes = [
  ['none', 'HTTP'],
  ['auto', 'HTTP, then others'],
  ['browser', 'browser'],
] as const

function useForm() {
  const named = addressQuery.value.get('url') ?? ''
  const url = useTyped(named)
  const isMain = useSignal(true)
  const cloud = useSignal<'none' | 'auto' | 'browser'>('none')
  const body = {
    url: withScheme(url.value.trim()),
    only_main_content: isMain.value,
    include_links: true,
    ...(cloud.value !== 'none' && { cloud_mode: cloud.value }),
  }
  return { url, isMain, cloud, body }
}

/** The last page: a scan is billed, so leaving the screen does not lose it. */
const last = signal<{ reader: string; scan: ScanResult } | null>(null)

export function Scan() {
  const { url, isMain, cloud, body } = useForm()
  const scanning = useCommand(async () => {
    changeQuery({ url: body.url })
    last.value = null
    last.value = { reader: readerOf(), scan: await tidemark.scan(body) }
  })
  const shown = last.value?.reader === readerOf() ? last.value : null
  return (
    <Screen
      title="Scan"
      call={{ id: 'scanPage', body: { ...body, url: body.url || 'https://example.com/' } }}
    >
      <form class="search" onSubmit={submitting(scanning.run)}>
        <Field label="URL" isWide>
          {id => <Input id={id} value={url} placeholder="https://example.com/" />}
        </Field>
        <Field label="Read by">
          {id => (
            <Choice
              {...{ id, value: cloud.value, choices: modes }}
              onChoose={value => {
                cloud.value = value as 'none'
              }}
            />
          )}
        </Field>
        <Check label="Main content only" value={isMain} />
        <button type="submit" class="main" disabled={scanning.isRunning}>
          {scanning.isRunning ? 'Reading …' : 'Scan for 1 page'}
        </button>
      </form>
      <Fault error={scanning.error.value} />
      {shown === null && !scanning.isRunning && (
        <Empty title="Enter a URL to read it now, as Markdown with metadata and links." />
      )}
      {shown && <Result scan={shown.scan} />}
    </Screen>
  )
}

type Link = NonNullable<ScanResult['anchors']>[number]

function Result({ scan }: { scan: ScanResult }) {
  const { metadata, markdown, anchors = [], tried = [] } = scan
  const { pagesBilled, cloudPagesBilled } = metaOf(scan) ?? {}
  return (
    <>
      <Panel title={metadata.title ?? scan.final_url} aside={<Status code={scan.status} />}>
        <Facts
          facts={[
            ['URL', scan.final_url],
            ['Size', bytes(scan.bytes)],
            ['Fetched', <Time key="f" at={scan.fetched_at} />],
            [
              'Billed',
              pagesBilled !== undefined &&
                `${counted(pagesBilled ?? 0, 'page')}, ${counted(cloudPagesBilled ?? 0, 'cloud page')}`,
            ],
            ['From the cache', scan.cached && 'yes'],
            ['Challenge page', scan.blocked && 'yes'],
            ['Description', metadata.description],
            ['Words', scan.signals.word_count],
          ]}
        />
      </Panel>
      <Tried tried={tried} />
      <Panel title="Markdown" isFlush>
        <Text text={markdown || 'The page has no text.'} label="The page as Markdown" />
      </Panel>
      {anchors.length > 0 && (
        <Panel title={counted(anchors.length, 'link')} isFlush>
          <Table
            caption="Links"
            columns={linkColumns}
            rows={anchors}
            rowKey={({ to, anchor }) => `${to} ${anchor}`}
          />
        </Panel>
      )}
    </>
  )
}

const linkColumns: Column<Link>[] = [
  {
    key: 'to',
    label: 'To',
    isMain: true,
    cell: ({ to }) => <a href={addressOf('/scan', { url: to })}>{to}</a>,
  },
  { key: 'anchor', label: 'Text', cell: ({ anchor }) => <span class="cut">{anchor}</span> },
]
