/** The findings of an audit by rule: the gravest first, each with its reason, its remedy and example pages. */
import type { AuditSiteAnswer } from '@tidemark/sdk'
import { useId } from 'preact/hooks'
import { addressOf, addressQuery, changeQuery } from '../../data/address.ts'
import { count, counted } from '../../data/words.ts'
import { rankColumn } from '../../parts/columns.tsx'
import { Choice, SearchField } from '../../parts/controls.tsx'
import { Field } from '../../parts/layout.tsx'
import { Mark } from '../../parts/marks.tsx'
import { Empty } from '../../parts/messages.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Prose } from '../../parts/text.tsx'

export type Rule = AuditSiteAnswer['data']['rules'][number]
type Example = Rule['examples'][number]

export function ByRule({ id, rules }: { id: number; rules: readonly Rule[] }) {
  const words = addressQuery.value.get('q') ?? ''
  const severity = addressQuery.value.get('severity') ?? ''
  const isNewOnly = addressQuery.value.get('change') === 'new'
  const open = addressQuery.value.get('rule')
  const shown = rules.filter(
    rule =>
      (severity === '' || rule.severity === severity) &&
      (!isNewOnly || (rule.new ?? 0) > 0) &&
      `${rule.rule} ${rule.finds}`.toLowerCase().includes(words.toLowerCase()),
  )
  return (
    <>
      <RuleFilters {...{ words, severity, isNewOnly }} isCompared={rules.some(rule => rule.new !== null)} />
      {shown.length === 0 ? (
        <Empty title={rules.length === 0 ? 'No rule found a problem.' : 'No rule matches the filter.'} />
      ) : (
        <ul class="rules">
          {resolvedLast(shown).map(rule => (
            <RuleItem key={rule.rule} id={id} rule={rule} isOpen={rule.rule === open} />
          ))}
        </ul>
      )}
    </>
  )
}

/** Rules that only the earlier crawl broke are not problems of this one. */
const resolvedLast = (rules: readonly Rule[]): Rule[] =>
  rules.toSorted((a, b) => Number(a.count === 0) - Number(b.count === 0))

const severities = [
  ['', 'all'],
  ['error', 'errors'],
  ['warning', 'warnings'],
  ['info', 'notices'],
] as const

const changes = [
  ['', 'all'],
  ['new', 'new only'],
] as const

/** Returns a share of one or more pages, which is never 0 %. */
const percentOf = (share: number): string => (share < 0.005 ? '< 1 %' : `${(share * 100).toFixed(0)} %`)

type FilterProps = { words: string; severity: string; isNewOnly: boolean; isCompared: boolean }

const RuleFilters = ({ words, severity, isNewOnly, isCompared }: FilterProps) => (
  <div class="search">
    <SearchField label="Filter" placeholder="words of the rule" words={words} />
    <Field label="Severity">
      {field => (
        <Choice
          {...{ id: field, value: severity, choices: severities }}
          onChoose={value => changeQuery({ severity: value })}
        />
      )}
    </Field>
    {isCompared && (
      <Field label="Change">
        {field => (
          <Choice
            {...{ id: field, value: isNewOnly ? 'new' : '', choices: changes }}
            onChoose={value => changeQuery({ change: value })}
          />
        )}
      </Field>
    )}
  </div>
)

export const severityWords = { error: 'error', warning: 'warning', info: 'notice' } as const

function RuleItem({ id, rule, isOpen }: { id: number; rule: Rule; isOpen: boolean }) {
  const body = useId()
  return (
    <li class="rule">
      <h2>
        <button
          type="button"
          class="rule-head"
          aria-expanded={isOpen}
          aria-controls={isOpen ? body : undefined}
          onClick={() => changeQuery({ rule: isOpen ? null : rule.rule })}
        >
          <Mark state={rule.count === 0 ? 'gone' : severityWords[rule.severity]} />
          <span class="rule-finds">
            <Prose text={rule.finds} />
          </span>
          <span class="rule-count">
            {counted(rule.count, 'page')}
            <span class="quiet"> {changeText(rule) ?? percentOf(rule.share)}</span>
          </span>
        </button>
      </h2>
      {isOpen && (
        <div class="rule-body" id={body}>
          <RuleText rule={rule} />
          {rule.examples.length > 0 && (
            <Table
              caption={`Pages with ${rule.rule}`}
              columns={columnsOf(id, rule)}
              rows={rule.examples}
              rowKey={({ page_id }) => page_id}
            />
          )}
          {rule.examples.length < rule.count && (
            <p class="quiet">
              {counted(rule.examples.length, 'example')} of {counted(rule.count, 'page')}. The view by page
              can load all.
            </p>
          )}
        </div>
      )}
    </li>
  )
}

/** The change since the compared crawl; null if none is compared. */
const changeText = ({ new: fresh, gone }: Rule): string | null =>
  fresh === null ? null : `${count(fresh)} new, ${count(gone ?? 0)} gone`

const RuleText = ({ rule: { rule, reason, remedy, source, occurrences, count: pages } }: { rule: Rule }) => (
  <dl class="rule-text">
    <dt>Remedy</dt>
    <dd>
      <Prose text={remedy} />
    </dd>
    <dt>Reason</dt>
    <dd>
      <Prose text={reason} />{' '}
      <a href={source.url} target="_blank" rel="noreferrer noopener">
        {source.name}
      </a>
    </dd>
    <dt>Rule</dt>
    <dd>
      <code>{rule}</code>
      {occurrences > pages && <span class="quiet"> · {counted(occurrences, 'occurrence')} in all</span>}
    </dd>
  </dl>
)

const columnsOf = (id: number, rule: Rule): Column<Example>[] => [
  {
    key: 'url',
    label: 'Example page',
    isMain: true,
    cell: ({ url, page_id }) => <a href={addressOf(`/crawls/${id}/pages/${page_id}`)}>{url}</a>,
  },
  {
    key: 'samples',
    label: 'Found',
    isMinor: true,
    cell: ({ samples }) => (
      <span class="cut" title={samples.join('\n')}>
        {samples.join(' · ')}
      </span>
    ),
  },
  {
    key: 'count',
    label: 'Times',
    isNumber: true,
    cell: ({ count: times }) => times !== undefined && count(times),
  },
  { ...rankColumn, isMinor: true },
  ...(rule.new === null
    ? []
    : [
        {
          key: 'change',
          label: 'Change',
          cell: ({ change }: Example) => change && <Mark state={change === 'new' ? 'new' : 'same'} />,
        },
      ]),
]
