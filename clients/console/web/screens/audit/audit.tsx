/** The audit of a crawl: its findings by rule and by page. The call is billed, so it starts with a button. */
import type { AuditSiteAnswer, Run } from '@tidemark/sdk'
import { type ActorWork, actorWork } from '../../data/actor-work.ts'
import { addressOf, addressQuery, changeQuery } from '../../data/address.ts'
import { tidemark } from '../../data/client.ts'
import { count, counted, spoken } from '../../data/words.ts'
import { Input, useTyped } from '../../parts/controls.tsx'
import { Snippet } from '../../parts/copy-as.tsx'
import { type Fact, Field, Figures, Panel, submitting, Tabs } from '../../parts/layout.tsx'
import { Empty, Fault, Warnings } from '../../parts/messages.tsx'
import { RunFrame, useRun } from '../run-frame.tsx'
import { ByPage } from './by-page.tsx'
import { ByRule } from './by-rule.tsx'
import { type Findings, findingsOf } from './findings.ts'

/** The maximum of the API. */
const examples = 20

export function Audit({ id }: { id: number }) {
  const run = useRun(id)
  const against = Number(addressQuery.value.get('against')) || null
  const body = { crawl_id: id, examples, ...(against !== null && { against }) }
  const work = actorWork(tidemark.actors.auditSite, body)
  const call = { id: 'auditSite', body } as const
  const answer = work.answer.value
  const findings = answer && findingsOf(answer, body)
  return (
    <RunFrame {...{ id, run: run.data, current: 'Audit', call }}>
      <Start run={run.data} against={against} work={work} isLoading={findings?.isLoading.value ?? false} />
      <Fault error={work.error.value} />
      {answer && findings && (
        <Result {...{ id, answer, findings }} isAuditing={work.progress.value !== null} />
      )}
      {answer === null && work.progress.value === null && (
        <Empty title="Nothing is audited yet. Start the audit above, or from a terminal:">
          <Snippet call={call} />
        </Empty>
      )}
    </RunFrame>
  )
}

type StartProps = {
  run: Run | null
  against: number | null
  work: ActorWork<AuditSiteAnswer>
  /** Whether all findings of this audit are loading. Another audit would discard them. */
  isLoading: boolean
}

function Start({ run, against, work, isLoading }: StartProps) {
  const earlier = useTyped(against === null ? '' : String(against))
  const wanted = Number(earlier.value) || null
  const progress = work.progress.value
  const send = submitting(() => {
    if (wanted !== against) changeQuery({ against: wanted })
    else if (!isLoading) void work.run()
  })
  const words =
    wanted !== against ? 'Show' : work.answer.value ? 'Audit again for 1 page' : 'Audit for 1 page'
  return (
    <form class="search" onSubmit={send}>
      <Field label="Compare with crawl">
        {field => <Input id={field} value={earlier} type="number" placeholder="none" isOptional />}
      </Field>
      <button type="submit" class="main" disabled={progress !== null || (isLoading && wanted === against)}>
        {progress === null ? words : 'Auditing …'}
      </button>
      <p class="form-note" role="status">
        {progress === null ? priceText(run) : progressText(progress)}
      </p>
    </form>
  )
}

const priceText = (run: Run | null): string =>
  `One audit costs one page, whatever the size of the crawl, also with a comparison. It reads the stored pages and fetches nothing.${
    run && run.finished_at === null ? ' The crawl has not ended, so its pages so far are audited.' : ''
  }`

function progressText({ stage, done, total }: { stage: string; done?: number; total?: number | null }) {
  const words = stage.charAt(0).toUpperCase() + stage.slice(1)
  if (done === undefined) return `${words} …`
  return total ? `${words}: ${count(done)} of ${count(total)}` : `${words}: ${count(done)}`
}

const views = ['By rule', 'By page', 'Not applied'] as const

type ResultProps = { id: number; answer: AuditSiteAnswer; findings: Findings; isAuditing: boolean }

function Result({ id, answer, findings, isAuditing }: ResultProps) {
  const { data, warnings = [] } = answer
  const { summary, rules, not_applied } = data
  const view = views.find(name => name === addressQuery.value.get('view')) ?? 'By rule'
  if (summary.audited === 0)
    return (
      <>
        <Warnings texts={warnings} />
        <Empty title="No page could be audited. A crawl with store_html: false has no stored pages." />
      </>
    )
  const counts = { 'By rule': rules.length, 'By page': undefined, 'Not applied': not_applied.length }
  const at = (name: string) =>
    addressOf(`/crawls/${id}/audit`, {
      ...Object.fromEntries(addressQuery.value),
      view: name === 'By rule' ? null : name,
      page: null,
    })
  return (
    <>
      <Figures figures={figuresOf(data)} />
      <Warnings texts={warnings} />
      <Tabs
        label="Views of the audit"
        tabs={views.map(name => ({
          name,
          address: at(name),
          isCurrent: name === view,
          count: counts[name] === undefined ? undefined : count(counts[name]),
        }))}
      />
      {view === 'By rule' && <ByRule id={id} rules={rules} />}
      {view === 'By page' && <ByPage {...{ id, rules, findings, isAuditing }} />}
      {view === 'Not applied' && <NotApplied rules={not_applied} />}
    </>
  )
}

function figuresOf({ against, summary }: AuditSiteAnswer['data']): Fact[] {
  const { audited, errors, warnings, info, not_audited } = summary
  const left = Object.entries(not_audited)
    .map(([reason, pages]) => `${spoken(reason)} ${count(pages)}`)
    .join(', ')
  return [
    ['Errors', count(errors)],
    ['Warnings', count(warnings)],
    ['Notices', count(info)],
    ['Pages audited', count(audited)],
    ...(left === '' ? [] : [['Not audited', <span class="small">{left}</span>] as Fact]),
    ...(against === null
      ? []
      : ([
          [`New since crawl ${against}`, count(summary.new ?? 0)],
          ['No longer found', count(summary.gone ?? 0)],
        ] as Fact[])),
  ]
}

function NotApplied({ rules }: { rules: AuditSiteAnswer['data']['not_applied'] }) {
  const reasons = Map.groupBy(rules, ({ because }) => because)
  if (rules.length === 0) return <Empty title="Every rule applied to this crawl." />
  return (
    <>
      {[...reasons].map(([because, left]) => (
        <Panel key={because} title={`${counted(left.length, 'rule')}: ${because}`}>
          <p class="rule-ids">
            {left.map(({ rule }) => (
              <code key={rule}>{rule}</code>
            ))}
          </p>
        </Panel>
      ))}
    </>
  )
}
