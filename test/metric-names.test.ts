/**
 * Rules and dashboards use only existing metrics and labels: those in the table of metrics. A running system exports
 * all of the table (e2e/operations.test.ts), and Prometheus can parse each expression.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type MetricName, metricTable } from '@tidemark/telemetry/metric-table'
import { prometheusName } from '@tidemark/telemetry/prometheus-name.scene'
import { test } from 'tap'
import { parse } from 'yaml'
import { dashboardFile, dashboards, dashboardText } from '../deploy/grafana/write.ts'
import { sharedBin } from './e2e/system.ts'
import { prometheusIn } from './programs.ts'

type Rule = { alert?: string; record?: string; expr: string }
type Panel = { title: string; type: string; gridPos: Place; targets?: { expr: string }[] }
type Place = { x: number; y: number; w: number; h: number }

const rulesFile = join(import.meta.dirname, '../deploy/prometheus/rules.yml')
const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap(group => group.rules)
const recorded = new Set(rules.flatMap(({ record }) => record ?? []))
const panelsOf = (file: string): Panel[] => JSON.parse(readFileSync(file, 'utf8')).panels

const expressions: [where: string, expression: string][] = [
  ...rules.map(({ alert, record = '', expr }): [string, string] => [alert ?? record, expr]),
  ...dashboards.flatMap(dashboard =>
    panelsOf(dashboardFile(dashboard)).flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }): [string, string] => [`${dashboard.uid}: ${title}`, expr]),
    ),
  ),
]

/** Labels that the scrape configuration adds to every series. */
const targetLabels = ['job', 'instance', 'services']

/** The series of the table, each with its own labels. */
const series = new Map<string, readonly string[]>(
  (Object.keys(metricTable) as MetricName[]).flatMap((name): [string, readonly string[]][] => {
    const { kind, by } = metricTable[name]
    const exported = prometheusName(name)
    if (kind !== 'histogram') return [[exported, by]]
    return [
      [`${exported}_bucket`, [...by, 'le']],
      [`${exported}_count`, by],
      [`${exported}_sum`, by],
    ]
  }),
)

/** Returns the metrics and labels of an expression that are not exported. */
function unknownIn(expression: string): string[] {
  const plain = expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
  const unknown: string[] = []
  const known = new Set([...targetLabels, 'le'])
  for (const [, name = '', matchers = ''] of plain.matchAll(/\b(tidemark[\w:]+|up\b)\s*(?:\{([^}]*)\})?/g)) {
    const labels = recorded.has(name) ? ['le'] : name === 'up' ? [] : series.get(name)
    if (labels === undefined) unknown.push(name)
    for (const label of labels ?? []) known.add(label)
    const own = new Set([...(labels ?? []), ...targetLabels])
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g))
      if (!own.has(label)) unknown.push(`${name}{${label}}`)
  }
  for (const [, labels = ''] of plain.matchAll(/\b(?:by|ignoring|on) \(([^)]*)\)/g))
    for (const label of labels.split(',').map(label => label.trim()))
      if (label !== '' && !known.has(label)) unknown.push(`by (${label})`)
  return unknown
}

test('Rules and dashboards use only exported metrics and labels', t => {
  t.ok(expressions.length > 90, `${expressions.length} expressions`)
  for (const [where, expression] of expressions) t.strictSame(unknownIn(expression), [], where)
  for (const [planted, unknown] of [
    ['tidemark_pages > 0', 'tidemark_pages'],
    ['rate(tidemark_http_seconds[5m])', 'tidemark_http_seconds'],
    ['sum(tidemark_pages_total{became="x"})', 'tidemark_pages_total{became}'],
    ['sum by (route) (tidemark_pages_total)', 'by (route)'],
    ['tidemark_units_total{operation="a}",sort="b"}', 'tidemark_units_total{sort}'],
  ] as const)
    t.strictSame(unknownIn(planted), [unknown])
  t.end()
})

test('Every metric is used by a rule or a dashboard', t => {
  const text = expressions.map(([, expression]) => expression).join('\n')
  for (const name of Object.keys(metricTable) as MetricName[]) t.match(text, prometheusName(name), name)
  t.end()
})

test('The dashboards match their table: npm run docs rewrites them', t => {
  for (const dashboard of dashboards) {
    const file = dashboardFile(dashboard)
    t.equal(readFileSync(file, 'utf8'), dashboardText(dashboard), dashboard.uid)
    const panels = panelsOf(file)
    const overlaps = panels.filter((one, n) =>
      panels.slice(n + 1).some(other => meet(one.gridPos, other.gridPos)),
    )
    t.strictSame(overlaps, [], 'no panels overlap')
    t.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24))
  }
  t.end()
})

function meet(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

test('Prometheus parses each expression of the dashboards', async t => {
  const programs = await prometheusIn(sharedBin()).catch((error: Error) => error)
  if (programs instanceof Error) return t.pass(`skipped: ${programs.message}`, { skip: programs.message })
  const file = join(t.testdir(), 'dashboards.json')
  const asRules = expressions.map(([, expression], n) => ({
    record: `expression_${n}`,
    expr: expression.replaceAll('$__rate_interval', '5m'),
  }))
  await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboards', rules: asRules }] }))
  const check = promisify(execFile)(programs.promtool, ['check', 'rules', file])
  const { stdout, stderr = '' } = await check.catch(error => error)
  t.match(stdout, `SUCCESS: ${asRules.length} rules found`, stderr)
})
