/** A page that a cloud endpoint returned: its facts, its costs, and its content in the requested format. */
import { metaOf } from '@tidemark/sdk'
import { addressOf, addressQuery } from '../../data/address.ts'
import { bytes, counted, duration } from '../../data/words.ts'
import { Frame } from '../../parts/frame.tsx'
import { Facts, Panel, Tabs } from '../../parts/layout.tsx'
import { Status } from '../../parts/marks.tsx'
import { Empty, Warnings } from '../../parts/messages.tsx'
import { Text } from '../../parts/text.tsx'
import { Tried } from '../../parts/tried.tsx'
import type { Fetched } from './endpoints.ts'

export function Result({ format, page }: { format: string; page: Fetched }) {
  const { url, status, backend, pool, country, bytes_transferred, elapsed_ms, cost_usd, blocked } = page
  const { cloudPagesBilled, requestId } = metaOf(page) ?? {}
  return (
    <>
      <Warnings texts={page.warnings ?? []} />
      <Panel title={url} aside={<Status code={status} />}>
        <Facts
          facts={[
            ['Billed', cloudPagesBilled !== undefined && counted(cloudPagesBilled ?? 0, 'cloud page')],
            ['Cost', `${cost_usd} USD`],
            ['Backend', backend],
            ['Proxy', [pool, country].filter(Boolean).join(', ')],
            ['Transferred', typeof bytes_transferred === 'number' && bytes(bytes_transferred)],
            ['Took', duration(elapsed_ms)],
            ['Challenge page', blocked && 'yes'],
            ['Request', requestId && <code key="r">{requestId}</code>],
          ]}
        />
      </Panel>
      <Tried tried={page.tried} />
      <Content format={format} page={page} />
    </>
  )
}

function Content({ format, page: { content, url } }: { format: string; page: Fetched }) {
  if (content === '') return <Empty title="The page has no content in this format." />
  if (format === 'raw') return <Html html={content} />
  if (format === 'png') return <Screenshot png={content} url={url} />
  const name = format === 'text' ? 'Text' : 'Markdown'
  return (
    <Panel title={name} isFlush>
      <Text text={content} label={`The page as ${name}`} />
    </Panel>
  )
}

const Screenshot = ({ png, url }: { png: string; url: string }) => (
  <Panel title="Screenshot" isFlush>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
    <section class="shot" tabIndex={0} aria-label="The screenshot">
      <img src={`data:image/png;base64,${png}`} alt={`Screenshot of ${url}`} />
    </section>
  </Panel>
)

const views = ['Rendered', 'Source', 'Metadata'] as const

function Html({ html }: { html: string }) {
  const view = views.find(name => name === addressQuery.value.get('view')) ?? 'Rendered'
  return (
    <>
      <Tabs
        label="Views of the page"
        tabs={views.map(name => ({
          name,
          address: addressOf('/cloud', {
            ...Object.fromEntries(addressQuery.value),
            view: name === 'Rendered' ? null : name,
          }),
          isCurrent: name === view,
        }))}
      />
      {view === 'Rendered' && <Frame html={html} title="The fetched page" />}
      {view === 'Source' && (
        <Panel title="HTML" isFlush>
          <Text text={html} label="The page as HTML" />
        </Panel>
      )}
      {view === 'Metadata' && <Metadata html={html} />}
    </>
  )
}

function Metadata({ html }: { html: string }) {
  const facts = pageFacts(html)
  return (
    <Panel title="Metadata">
      {facts.length === 0 ? <Empty title="The page has no metadata." /> : <Facts facts={facts} />}
    </Panel>
  )
}

type MetaFact = readonly [name: string, value: string]

/**
 * Returns the title, the language, the canonical address, and the named `meta` elements, in their order. The document has
 * no window: it runs and loads nothing.
 */
function pageFacts(html: string): MetaFact[] {
  const page = new DOMParser().parseFromString(html, 'text/html')
  const named = [...page.querySelectorAll('meta[content]')].flatMap((meta): MetaFact[] => {
    const name = meta.getAttribute('name') ?? meta.getAttribute('property')
    return name ? [[name, meta.getAttribute('content') ?? '']] : []
  })
  const facts: MetaFact[] = [
    ['Title', page.title],
    ['Language', page.documentElement.lang],
    ['Canonical', page.querySelector('link[rel=canonical]')?.getAttribute('href') ?? ''],
    ['H1', [...page.querySelectorAll('h1')].map(({ textContent }) => textContent.trim()).join(' · ')],
    ...new Map(named),
  ]
  return facts.filter(([, value]) => value !== '')
}
