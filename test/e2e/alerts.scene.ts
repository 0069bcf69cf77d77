/** A Prometheus for a test, with our rules. In the rules, time is thirty times as fast. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '@tidemark/config/free-ports'
import { until } from '@tidemark/testing/until'
import { root } from '../../deploy/local/settings.ts'

/** The factor by which time is faster. */
const speed = 30

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600 }

/**
 * Returns the rules with faster time: their windows and durations, and the numbers that ages (`_oldest_`, `_behind_`
 * and `_overdue_seconds`) are compared with. Nothing else is changed.
 */
const spedUp = (rules: string): string =>
  rules
    .replace(
      /(\[|for: )(\d+)([smh])/g,
      (_, before, n, unit) => `${before}${(Number(n) * (unitSeconds[unit] ?? 1)) / speed}s`,
    )
    .replace(
      /(_(?:oldest|behind|overdue)_seconds(?:\{[^}]*\})?\)? > )(\d+)/g,
      (_, before, n) => `${before}${Number(n) / speed}`,
    )

// biome-ignore lint/suspicious/noExplicitAny: the type of data depends on the path
type Answer = { status: string; error?: string; data: any }
type Sample = { metric: Record<string, string>; value: [at: number, value: string] }

export type Prometheus = AsyncDisposable & {
  /** Returns the value of each series in the result, with its labels. */
  query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]>
  /**
   * Resolves when Prometheus has scraped this number of processes and all respond. Earlier alerts are then forgotten.
   */
  scrapes(processes: number): Promise<void>
  /** Returns the alerts that have fired. */
  fired(): Promise<string[]>
  /** Returns the names of all known series. */
  names(): Promise<string[]>
}

const ours = (file: string) => readFile(join(root, 'deploy/prometheus', file), 'utf8')

export const ruleText = (): Promise<string> => ours('rules.yml')

/** Starts Prometheus with our configuration, except for the faster rules, the files of targets and the intervals. */
export async function startPrometheus(program: string, dir: string, targets: string): Promise<Prometheus> {
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, 'rules.yml'), spedUp(await ruleText()))
  const config = (await ours('prometheus.yml'))
    .replace(/files: \[.*\]/, `files: [${targets}]`)
    .replace('scrape_interval: 15s', 'scrape_interval: 2500ms\n  scrape_timeout: 2500ms')
    .replace('evaluation_interval: 15s', 'evaluation_interval: 1s')
  await writeFile(join(dir, 'prometheus.yml'), config)
  const [port = 0] = await freePorts(1)
  const child = run(program, dir, port)
  const base = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}`)
    return fetch(`${base}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  })

  async function get(path: string) {
    const answer = (await (await fetch(`${base}/api/v1/${path}`)).json()) as Answer
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`)
    return answer.data
  }
  const query: Prometheus['query'] = async expression => {
    const { result } = await get(`query?query=${encodeURIComponent(expression)}`)
    return (result as Sample[]).map(({ metric, value: [, value] }) => ({
      labels: metric,
      value: Number(value),
    }))
  }
  let since = Date.now()
  const firing = 'ALERTS{alertstate="firing"}'
  return {
    query,
    async scrapes(processes) {
      await until(async () => (await query('up == 1')).length === processes)
      await until(async () => (await query(firing)).length === 0)
      since = Date.now() + 1_000
    },
    async fired() {
      const seconds = Math.max(1, Math.floor((Date.now() - since) / 1_000))
      const found = await query(`count by (alertname) (count_over_time(${firing}[${seconds}s]))`)
      return found.map(({ labels }) => labels.alertname ?? '').sort()
    },
    names: () => get('label/__name__/values'),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

function run(program: string, dir: string, port: number): ChildProcess {
  const args = [
    `--config.file=${join(dir, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(dir, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const lastResort = () => child.kill('SIGKILL')
  process.once('exit', lastResort)
  child.once('exit', () => process.removeListener('exit', lastResort))
  return child
}
