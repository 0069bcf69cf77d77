/** Why a URL was fetched or not: the rules in their order, the attempts, and what would change it. */

import type { Explanation, RuleAnswer, UrlAttempt } from '@tidemark/sdk'
import { addressOf, addressQuery, changeQuery } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useReading } from '../data/reading.ts'
import { spoken } from '../data/words.ts'
import { Input, useTyped } from '../parts/controls.tsx'
import { Facts, Field, Panel, submitting } from '../parts/layout.tsx'
import { Mark, Time } from '../parts/marks.tsx'
import { Empty, Waiting } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RunFrame, useRun, useSeenEnd } from './run-frame.tsx'

export function Explain({ id }: { id: number }) {
  const run = useRun(id)
  const named = addressQuery.value.get('url') ?? ''
  const typed = useTyped(named)
  // A path is resolved against the seed of the crawl, which may not be loaded yet.
  const url = named.startsWith('/') ? run.data && absolute(named, run.data.url) : named
  const explanation = useReading(
    signal => (url === null || url === '' ? null : tidemark.crawls.explain(id, url, { signal })),
    [id, url, useSeenEnd(run.data)],
  )
  const send = submitting(() => {
    const entered = typed.value.trim()
    // The same URL of a running crawl may have another explanation meanwhile.
    if (entered === named) explanation.reload()
    else changeQuery({ url: entered })
  })
  return (
    <RunFrame
      {...{ id, run: run.data, current: 'Explain' }}
      call={{ id: 'explainUrl', path: { id }, query: { url: url || 'https://example.com/missing' } }}
    >
      <form class="search" onSubmit={send}>
        <Field label="URL" isWide>
          {field => <Input id={field} value={typed} placeholder="https://example.com/missing, or /missing" />}
        </Field>
        <button type="submit" class="main">
          Explain
        </button>
      </form>
      {url === '' ? (
        <Empty title="Enter any URL: fetched, failed, skipped, or never found.">
          {run.data && (
            <a href={addressOf(`/crawls/${id}/explain`, { url: run.data.url })}>Explain the seed</a>
          )}
        </Empty>
      ) : (
        <>
          {url === null && <Waiting reading={run} what="the crawl" />}
          <Waiting reading={explanation} what="the explanation" />
          {explanation.data && <Explained run={id} explanation={explanation.data} />}
        </>
      )}
    </RunFrame>
  )
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const absolute = (path: string, seed: string): string =>
  URL.canParse(path, seed) ? new URL(path, seed).href : path

const verdicts: Record<Explanation['verdict'], string> = {
  fetched: 'This URL was fetched.',
  failed: 'This URL failed.',
  skipped: 'A rule skipped this URL.',
  duplicate: 'This URL has the content of another page.',
  not_reached: 'The crawl ended before this URL.',
  pending: 'This URL waits for its turn.',
  never_seen: 'No page of the crawl links to this URL.',
}

function Explained({ run, explanation }: { run: number; explanation: Explanation }) {
  const { verdict, url, rules, attempts, page_id, what_would_change } = explanation
  const stopping = rules.find(({ passed }) => !passed)
  return (
    <>
      <div class={`verdict ${verdict}`}>
        <p class="verdict-word">{verdicts[verdict]}</p>
        <p>
          <code>{url}</code>
        </p>
        {stopping && <p>{sentence(stopping.because)}</p>}
        {page_id !== null && <a href={addressOf(`/crawls/${run}/pages/${page_id}`)}>Open the page</a>}
      </div>
      {what_would_change.length > 0 && (
        <Panel title="To change this">
          <ul class="list">
            {what_would_change.map(text => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Panel>
      )}
      <div class="columns">
        <Panel title="Rules, in their order" isFlush>
          <Table
            caption="Rules"
            columns={ruleColumns}
            rows={rules}
            rowKey={rule => `${rule.rule} ${rule.because}`}
          />
        </Panel>
        <Panel title="Found">
          <Found run={run} explanation={explanation} />
        </Panel>
      </div>
      {attempts.length > 0 && (
        <Panel title="Attempts" isFlush>
          <Table
            caption="Attempts"
            columns={attemptColumns}
            rows={attempts}
            rowKey={({ attempt, of }) => `${of} ${attempt}`}
          />
        </Panel>
      )}
    </>
  )
}

function Found({
  run,
  explanation: { found, redirects, duplicate_of },
}: {
  run: number
  explanation: Explanation
}) {
  const at = (url: string) => addressOf(`/crawls/${run}/explain`, { url })
  return (
    <>
      {found === null ? (
        <p class="quiet">The crawl found no link to it.</p>
      ) : (
        <Facts
          facts={[
            [
              'On',
              found.from_url && (
                <a key="f" href={at(found.from_url)}>
                  {found.from_url}
                </a>
              ),
            ],
            ['As', found.anchor],
            ['Depth', found.depth],
            ['At', <Time key="t" at={found.at} />],
            ['Duplicate of', duplicate_of],
          ]}
        />
      )}
      {redirects.length > 0 && (
        <>
          <h3>Redirects</h3>
          <ol class="list">
            {redirects.map(({ from, to }) => (
              <li key={from}>
                <code>{from}</code> → <code>{to}</code>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  )
}

const ruleColumns: Column<RuleAnswer>[] = [
  { key: 'rule', label: 'Rule', cell: ({ rule }) => spoken(rule) },
  {
    key: 'passed',
    label: 'Result',
    cell: ({ passed }) => (
      <span class={passed ? 'mark good' : 'mark bad'}>{passed ? 'passed' : 'stopped'}</span>
    ),
  },
  {
    key: 'because',
    label: 'Because',
    isMain: true,
    cell: ({ because }) => <span class="wrap">{because}</span>,
  },
]

const attemptColumns: Column<UrlAttempt>[] = [
  { key: 'n', label: 'No.', isNumber: true, cell: ({ attempt }) => attempt },
  { key: 'of', label: 'Of', cell: ({ of }) => of ?? 'the URL' },
  { key: 'by', label: 'By', cell: ({ by }) => by },
  { key: 'outcome', label: 'Outcome', cell: ({ outcome }) => <Mark state={outcome} /> },
  { key: 'reason', label: 'Reason', isMain: true, cell: ({ reason }) => reason && spoken(reason) },
  { key: 'ordered', label: 'Ordered', isMinor: true, cell: ({ ordered_at }) => <Time at={ordered_at} /> },
  { key: 'ended', label: 'Ended', isMinor: true, cell: ({ ended_at }) => <Time at={ended_at} /> },
]
