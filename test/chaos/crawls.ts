/**
 * One crawl per host, at most five at once per project: they are started, watched to their end, and read as their owner
 * reads them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './api.ts'
import type { History, Recorder } from './history.ts'
import type { ChaosSystem } from './system.ts'

export type Crawl = { run: number; project: string; key: string }

const runsPerProject = 5
const endings = ['done', 'failed', 'cancelled']
const betweenLooksMs = 500
const billedWithinMs = 30_000

type Options = {
  api: Api
  system: ChaosSystem
  recorder: Recorder
  origins: string[]
  delayMs: number
  webhookUrl: string | null
}

export async function startCrawls({ api, system, recorder, ...options }: Options): Promise<Crawl[]> {
  const { origins, delayMs, webhookUrl } = options
  const crawls: Crawl[] = []
  let key = ''
  for (const [host, origin] of origins.entries()) {
    const project = `chaos-${Math.floor(host / runsPerProject)}`
    if (host % runsPerProject === 0) key = await createProject(system, project)
    const request = {
      url: `${origin}/`,
      max_pages: 100_000,
      depth: 50,
      delay_ms: delayMs,
      ...(webhookUrl !== null && { webhook_url: webhookUrl }),
    }
    const { id: run } = await api.insist(202, key, 'POST', '/v1/crawls', request)
    recorder.record({ type: 'accepted', run, project, host })
    crawls.push({ run, project, key })
  }
  return crawls
}

/**
 * Resolves when every run has ended or no run has made progress for `patienceMs`. Records each end, and the receipt of
 * each run at every check.
 */
export async function untilEnded(
  api: Api,
  crawls: Crawl[],
  recorder: Recorder,
  { patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
): Promise<void> {
  let running = crawls
  let seen = ''
  let movedAt = Date.now()
  while (running.length > 0 && !signal.aborted && Date.now() - movedAt < patienceMs) {
    const left: Crawl[] = []
    for (const crawl of running) {
      const end = await look(api, crawl)
      await readReceipt(api, crawl, recorder)
      if (end !== null && endings.includes(end.status))
        recorder.record({ type: 'ended', run: crawl.run, end })
      else left.push(crawl)
    }
    const now = `${left.length} ${hitsOf(recorder.history)}`
    if (now !== seen) movedAt = Date.now()
    seen = now
    running = left
    await sleep(betweenLooksMs)
  }
  for (const crawl of running) recorder.record({ type: 'ended', run: crawl.run, end: await look(api, crawl) })
}

/** Reads pages, receipts and bills. Bills lag behind pages, so this waits up to 30 s until they reach the counts. */
export async function readResults(api: Api, crawls: Crawl[], recorder: Recorder): Promise<void> {
  const counted = new Map<string, number>()
  for (const { run, key, project } of crawls) {
    const { items } = await api.insist(200, key, 'GET', `/v1/crawls/${run}/pages?limit=100000`)
    const rows = items.map(({ url, status }: { url: string; status: number }) => ({ url, status }))
    recorder.record({ type: 'pages', run, rows })
    const receipt = await api.insist(200, key, 'GET', `/v1/crawls/${run}/coverage`)
    recorder.record({ type: 'receipt', run, receipt })
    counted.set(project, (counted.get(project) ?? 0) + rows.length)
  }
  for (const [project, key] of new Map(crawls.map(({ project, key }) => [project, key]))) {
    const limit = Date.now() + billedWithinMs
    const read = async () => (await api.insist(200, key, 'GET', '/v1/usage')).month.pages
    let pages = await read()
    while (pages < (counted.get(project) ?? 0) && Date.now() < limit) {
      await sleep(betweenLooksMs)
      pages = await read()
    }
    recorder.record({ type: 'usage', project, pages })
  }
}

async function look(api: Api, { key, run }: Crawl) {
  const { status, body } = await api.call(key, 'GET', `/v1/crawls/${run}`)
  if (status !== 200) return null
  const { page_count, error_count } = body
  return { status: body.status as string, page_count, error_count }
}

async function readReceipt(api: Api, { key, run }: Crawl, { record }: Recorder): Promise<void> {
  const { status, body } = await api.call(key, 'GET', `/v1/crawls/${run}/coverage`)
  if (status === 200) record({ type: 'receipt', run, receipt: body })
}

const hitsOf = (history: History): number =>
  history.reduce((sum, { type }) => sum + (type === 'hit' ? 1 : 0), 0)

export async function createProject(system: ChaosSystem, name: string): Promise<string> {
  const { code, stdout, stderr } = await system.admin('create-project', '--name', name, '--unlimited')
  if (code !== 0) throw new Error(`create-project ended with ${code}: ${stderr}`)
  return JSON.parse(stdout).api_key
}
