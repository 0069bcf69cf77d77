/** The findings of an audit by page: first those of the examples, and all of them after another billed call. */
import { useMemo } from 'preact/hooks'
import { addressOf, addressQuery, changeQuery } from '../../data/address.ts'
import { count, counted } from '../../data/words.ts'
import { rankColumn } from '../../parts/columns.tsx'
import { CommandButton, Panel } from '../../parts/layout.tsx'
import { Mark } from '../../parts/marks.tsx'
import { Empty } from '../../parts/messages.tsx'
import { type Column, type Sorting, Table } from '../../parts/table.tsx'
import { Prose } from '../../parts/text.tsx'
import { type Rule, severityWords } from './by-rule.tsx'
import type { Findings, Found } from './findings.ts'

type Finding = {
  rule: string
  samples: readonly string[]
  times: number | null
  message?: string | undefined
}
type Audited = {
  id: number
  url: string
  pagerank: number | null
  error: number
  warning: number
  info: number
  findings: Finding[]
}
type Props = {
  id: number
  rules: readonly Rule[]
  findings: Findings
  /** Another audit is running. It will have its own findings, so the old ones are not loaded. */
  isAuditing: boolean
}

export function ByPage({ id, rules, findings, isAuditing }: Props) {
  const { all, isLoading, load: run, error } = findings
  const load = { run, error, isRunning: isLoading.value || isAuditing }
  const isWhole = all.value !== null || rules.every(rule => rule.examples.length >= rule.count)
  const pages = useMemo(() => pagesOf(all.value ?? examplesOf(rules)), [all.value, rules])
  const chosen = pages.find(page => page.id === Number(addressQuery.value.get('page')))
  const sorting: Sorting = {
    by: addressQuery.value.get('sort') ?? 'error',
    isDown: addressQuery.value.get('order') !== 'up',
  }
  const shown = useMemo(() => sorted(pages, sorting), [pages, sorting.by, sorting.isDown])
  if (pages.length === 0) return <Empty title="No page has a finding." />
  return (
    <>
      {!isWhole && (
        <div class="notice">
          <p>These pages are the examples of each rule, so some pages and findings are missing.</p>
          <CommandButton command={load}>
            {isLoading.value ? 'Loading …' : 'Load all findings for 1 page'}
          </CommandButton>
        </div>
      )}
      {chosen && <Chosen run={id} page={chosen} rules={rules} />}
      <Panel title={counted(pages.length, 'page')} isFlush>
        <Table
          caption="Pages with findings"
          columns={columns}
          rows={shown}
          rowKey={page => page.id}
          sorting={sorting}
          onSort={({ by, isDown }) => changeQuery({ sort: by, order: isDown ? null : 'up' })}
        />
      </Panel>
    </>
  )
}

const examplesOf = (rules: readonly Rule[]): Found[] =>
  rules.flatMap(({ rule, severity, examples }) =>
    examples.map(({ page_id, url, pagerank, samples, message, count: times = null }) => ({
      ...{ rule, severity, page_id, url, pagerank, samples, message },
      count: times,
    })),
  )

function pagesOf(found: readonly Found[]): Audited[] {
  const pages = new Map<number, Audited>()
  for (const { page_id, url, pagerank, rule, severity, samples, message, count: times } of found) {
    const page = pages.get(page_id) ?? newPage(page_id, url, pagerank)
    pages.set(page_id, page)
    page[severity]++
    page.findings.push({ rule, samples, times, message })
  }
  return [...pages.values()]
}

const newPage = (id: number, url: string, pagerank: number | null): Audited => ({
  ...{ id, url, pagerank },
  ...{ error: 0, warning: 0, info: 0, findings: [] },
})

/** Pages with equal values in the column are sorted by their graver findings, then by their rank. */
function sorted(pages: readonly Audited[], { by, isDown }: Sorting): Audited[] {
  const keys = [...new Set([by, 'error', 'warning', 'info', 'pagerank'])] as (keyof Audited)[]
  const sign = isDown ? -1 : 1
  return pages.toSorted((a, b) => {
    for (const key of keys) {
      const [left, right] = [a[key] ?? 0, b[key] ?? 0]
      if (left !== right) return left < right ? -sign : sign
    }
    return 0
  })
}

function Chosen({ run, page, rules }: { run: number; page: Audited; rules: readonly Rule[] }) {
  const described = new Map(rules.map(rule => [rule.rule, rule]))
  return (
    <Panel
      title={page.url}
      aside={
        <>
          <a href={addressOf(`/crawls/${run}/pages/${page.id}`)}>Open the page</a>
          <button type="button" onClick={() => changeQuery({ page: null })}>
            Close
          </button>
        </>
      }
    >
      <ul class="findings">
        {page.findings.map(({ rule, samples, times, message }) => {
          const { severity = 'info', finds, remedy } = described.get(rule) ?? {}
          return (
            <li key={rule}>
              <Mark state={severityWords[severity]} />
              <div>
                <p>
                  <Prose text={finds ?? rule} />
                  {times !== null && times > 1 && <span class="quiet"> · {counted(times, 'time')}</span>}
                </p>
                <p class="quiet">
                  <Prose text={message ?? remedy ?? ''} />
                </p>
                {samples.length > 0 && <p class="samples">{samples.join(' · ')}</p>}
              </div>
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

const number = (key: 'error' | 'warning' | 'info', label: string): Column<Audited> => ({
  ...{ key, label, isNumber: true, isSortable: true },
  cell: page => (page[key] === 0 ? <span class="quiet">0</span> : count(page[key])),
})

const columns: Column<Audited>[] = [
  {
    key: 'url',
    label: 'Page',
    isMain: true,
    isSortable: true,
    cell: ({ id, url }) => (
      <button type="button" class="link" onClick={() => changeQuery({ page: id })}>
        {url}
      </button>
    ),
  },
  number('error', 'Errors'),
  number('warning', 'Warnings'),
  { ...number('info', 'Notices'), isMinor: true },
  { ...rankColumn, isMinor: true, isSortable: true },
]
