/**
 * The alerts, by the judgement of Prometheus itself: a healthy system sets none off, and each fault sets off the alert
 * that is meant for it, and no other.
 */
import { execFile } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { test } from 'tap'
import { parse } from 'yaml'
import { faultsOf } from '../../test/plain-english.ts'
import { prometheusIn } from '../../test/programs.ts'
import { binFolder } from '../local/servers/binaries.ts'
import { root } from '../local/settings.ts'
import { faults, healthy, type Series } from './faults.examples.ts'

type Rule = {
  alert?: string
  labels?: { severity?: string }
  annotations?: Record<string, string>
}

const rulesFile = path.join(import.meta.dirname, 'rules.yml')
const configFile = path.join(import.meta.dirname, 'prometheus.yml')
const run = promisify(execFile)

test('Each alert says how urgent it is, what is wrong, and where to read on', async t => {
  const { groups } = parse(await fs.readFile(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }
  const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined)
  const names = alerts.map(({ alert = '' }) => alert)
  const runbooks = (await fs.readFile(path.join(root, 'docs/operations.md'), 'utf8')).split('\n')
  t.strictSame(names, [...new Set(names)])
  for (const { alert = '', labels, annotations } of alerts) {
    t.match(labels?.severity, /^(page|ticket)$/, alert)
    t.ok((annotations?.summary ?? '').length > 20, alert)
    t.strictSame(faultsOf(annotations?.summary ?? ''), [], alert)
    t.equal(annotations?.runbook, `docs/operations.md#${alert.toLowerCase()}`)
    t.ok(runbooks.includes(`### ${alert}`), `${alert} has a runbook`)
  }
  const withFault = Object.keys(faults).map(name => name.split(' ')[0])
  t.strictSame([...new Set(withFault)].sort(), names.sort(), 'each has a fault')
})

test('Prometheus', async t => {
  const bin = binFolder(process.env, path.join(root, '.tidemark'))
  const programs = await prometheusIn(bin).catch((error: Error) => error)
  if (programs instanceof Error) return t.pass(`skipped: ${programs.message}`, { skip: programs.message })
  const { promtool } = programs

  await t.test('takes the configuration, and finds what the launcher writes', async t => {
    const { stdout } = await run(promtool, ['check', 'config', configFile])
    t.match(stdout, /SUCCESS: .*prometheus\.yml is valid/)
    const { scrape_configs } = parse(await fs.readFile(configFile, 'utf8'))
    const [targets] = scrape_configs[0].file_sd_configs[0].files
    t.equal(path.resolve(import.meta.dirname, targets), path.join(root, '.tidemark/metrics.json'))
  })

  await t.test('finds a healthy system healthy, and each fault', async t => {
    const dir = t.testdir()
    const file = path.join(dir, 'faults.json')
    const always = [1, 5, 15, 30, 60, 240, 470].map(minute => expecting(minute, []))
    const tests = [
      { ...lasting(healthy), promql_expr_test: always },
      ...Object.entries(faults).map(([name, { differs, minute }]) => {
        const series = Object.entries({ ...healthy, ...differs }).filter(([, values]) => values !== null)
        const alert = name.split(' ')[0] ?? name
        return {
          ...lasting(Object.fromEntries(series) as Series),
          promql_expr_test: [expecting(minute, [alert])],
        }
      }),
    ]
    await fs.writeFile(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }))
    const { stdout, stderr } = await run(promtool, ['test', 'rules', file]).catch(error => error)
    t.match(stdout, 'SUCCESS', `${stdout}${stderr}`)
  })
})

const lasting = (series: Series) => ({
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
})

const expecting = (minute: number, alerts: string[]) => ({
  expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
  eval_time: `${minute}m`,
  exp_samples: alerts.map(alert => ({ labels: `{alertname="${alert}"}`, value: 1 })),
})
