/** One stored page: rendered without its scripts and its network, as Markdown, as received, and with its links. */
import type { LinkEdge, Page as PageView } from '@tidemark/sdk'
import { addressOf, addressQuery, base } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { type Parts, partsTitle, useParts } from '../data/parts.ts'
import { useReading } from '../data/reading.ts'
import { sharedCrawl } from '../data/session.ts'
import { bytes, counted } from '../data/words.ts'
import { More } from '../parts/controls.tsx'
import { Frame } from '../parts/frame.tsx'
import { type Fact, Facts, Panel, Screen, Tabs } from '../parts/layout.tsx'
import { Status, Time } from '../parts/marks.tsx'
import { Empty, Waiting } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Text } from '../parts/text.tsx'

const views = ['Rendered', 'Markdown', 'Raw', 'Metadata', 'Links out', 'Links in'] as const
type View = (typeof views)[number]

export function Page({ run, id }: { run: number; id: number }) {
  const chosen = views.find(view => view === addressQuery.value.get('view')) ?? 'Rendered'
  const page = useReading(signal => tidemark.pages.get(id, { format: 'full', signal }), [id])
  const { data } = page
  const at = addressOf(`/crawls/${run}/pages/${id}`)
  return (
    <Screen
      title={data?.metadata?.title || data?.url || `Page ${id}`}
      mark={data && <Status code={data.status} />}
      trail={
        <>
          {sharedCrawl() === null && (
            <>
              <a href={base}>Crawls</a> <span aria-hidden="true">/</span>{' '}
            </>
          )}
          <a href={addressOf(`/crawls/${run}`)}>{run}</a> <span aria-hidden="true">/</span>{' '}
          <a href={addressOf(`/crawls/${run}/pages`)}>Pages</a> <span aria-hidden="true">/</span> {id}
        </>
      }
      commands={
        data && (
          <a class="button" href={addressOf(`/crawls/${run}/explain`, { url: data.url })}>
            Explain
          </a>
        )
      }
      call={{ id: 'getPage', path: { id }, query: { format: 'full' } }}
    >
      <Waiting reading={page} what="the page" />
      {data && (
        <>
          <p class="page-url">
            <a href={data.url} target="_blank" rel="noreferrer noopener">
              {data.url}
            </a>
          </p>
          <Facts
            facts={[
              ['Type', data.content_type],
              ['Size', bytes(data.bytes)],
              ['Fetched', <Time key="f" at={data.fetched_at} />],
              ['Content hash', <code key="h">{data.content_hash.slice(0, 16)}</code>],
              ['Trace', data.trace_id && <code key="t">{data.trace_id}</code>],
            ]}
          />
          <Tabs
            label="Views of the page"
            tabs={views.map(name => ({
              name,
              address: `${at}?view=${encodeURIComponent(name)}`,
              isCurrent: name === chosen,
            }))}
          />
          <Body page={data} run={run} view={chosen} />
        </>
      )}
    </Screen>
  )
}

function Body({ page, run, view }: { page: PageView; run: number; view: View }) {
  if (view === 'Links out') return <LinksOut run={run} page={page.id} />
  if (view === 'Links in') return <LinksIn run={run} url={page.url} />
  if (view === 'Metadata') return <Metadata page={page} />
  const { html, markdown } = page
  if (view === 'Markdown') return <Content text={markdown} label="The page as Markdown" />
  if (view === 'Raw') return <Content text={html} label="The page as received" />
  if (html === null || html === undefined) return <Empty title="The crawl stored no bodies (store_html)." />
  return <Frame html={html} title="The stored page" />
}

const Content = ({ text, label }: { text: string | null | undefined; label: string }) =>
  typeof text === 'string' ? <Text text={text} label={label} /> : <Empty title="The page has no such text." />

function Metadata({ page: { metadata, signals } }: { page: PageView }) {
  const list = (texts: readonly string[] | undefined) => texts && texts.length > 0 && texts.join(' · ')
  const pairs = (values: Record<string, string> | undefined): Fact[] =>
    Object.entries(values ?? {}).map(([name, value]) => [name, value])
  return (
    <div class="columns even">
      <Panel title="Metadata">
        <Facts
          facts={[
            ['Title', metadata?.title],
            ['Description', metadata?.description],
            ['Canonical', metadata?.canonical],
            ['Language', metadata?.lang],
            ['Robots', list(metadata?.robots)],
            ...pairs(metadata?.og),
            ...pairs(metadata?.twitter),
          ]}
        />
      </Panel>
      <Panel title="Signals">
        <Facts
          facts={[
            ['Words', signals?.word_count],
            [
              'Links',
              signals &&
                `${counted(signals.links.internal, 'internal', 'internal')}, ${counted(signals.links.external, 'external', 'external')}`,
            ],
            ['H1', list(signals?.h1)],
            ['H2', list(signals?.h2)],
            ['JSON-LD', list(signals?.jsonld_types)],
            ['hreflang', list(Object.keys(signals?.hreflang ?? {}))],
            ['noai', signals?.ai_directives.noai && 'yes'],
          ]}
        />
      </Panel>
    </div>
  )
}

function LinksOut({ run, page }: { run: number; page: number }) {
  const links = useParts(
    (offset, signal) => tidemark.crawls.links(run, { from_page_id: page, limit: 1000, offset, signal }),
    [run, page],
  )
  return <Links parts={links} columns={linksOut(run)} empty="The page has no links." />
}

function LinksIn({ run, url }: { run: number; url: string }) {
  const links = useParts(
    (offset, signal) => tidemark.crawls.links(run, { to_url: url, limit: 1000, offset, signal }),
    [run, url],
  )
  return <Links parts={links} columns={linksIn(run)} empty="No page of the crawl links to this URL." />
}

type LinksProps = {
  parts: Parts<LinkEdge>
  columns: readonly Column<LinkEdge>[]
  empty: string
}

function Links({ parts, columns, empty }: LinksProps) {
  const { first, items } = parts
  return (
    <Panel title={partsTitle(parts, 'link')} isFlush>
      <Waiting reading={first} what="links" />
      {items?.length === 0 && <Empty title={empty} />}
      {items && items.length > 0 && (
        <Table
          caption="Links"
          columns={columns}
          rows={items}
          rowKey={link => `${link.from_page_id} ${link.to_url} ${link.anchor}`}
        />
      )}
      <More parts={parts} />
    </Panel>
  )
}

const anchor: Column<LinkEdge> = {
  key: 'anchor',
  label: 'Text',
  cell: ({ anchor }) => <span class="cut">{anchor}</span>,
}
const rel: Column<LinkEdge> = { key: 'rel', label: 'rel', isMinor: true, cell: ({ rel }) => rel }

const linksOut = (run: number): Column<LinkEdge>[] => [
  {
    key: 'to',
    label: 'To',
    isMain: true,
    cell: ({ to_url }) => <a href={addressOf(`/crawls/${run}/explain`, { url: to_url })}>{to_url}</a>,
  },
  anchor,
  rel,
]

const linksIn = (run: number): Column<LinkEdge>[] => [
  {
    key: 'from',
    label: 'From page',
    isMain: true,
    cell: ({ from_page_id }) => (
      <a href={addressOf(`/crawls/${run}/pages/${from_page_id}`)}>{from_page_id}</a>
    ),
  },
  anchor,
  rel,
]
