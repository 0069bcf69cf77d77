/**
 * `node test/prove/versions.ts [--from COMMIT --pages N]`: one crawl through updates from the version of a commit to
 * this version and back. Both directions happen after a normal stop and after SIGKILL of all processes. Exits with code
 * 1 if a page is lost, fetched without need or billed twice, or if `verify` finds anything. The default of `--from` is
 * the commit before this version.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startSite } from '../bench/served-site.ts'
import { optionsOf } from '../command-line.ts'
import { type System, startSystem } from '../e2e/system.ts'

const values = optionsOf({
  from: { type: 'string', default: 'HEAD~1' },
  pages: { type: 'string', default: '3000' },
})
const pages = Number(values.pages)
if (!Number.isSafeInteger(pages) || pages < 100) fail('--pages must be a whole number of at least 100', 2)

const run = promisify(execFile)
const ours = join(import.meta.dirname, '../..')
const env = { PROCESSES: 'split' }
/** Lost orders are reissued after two minutes. */
const patienceMs = 400_000
/** Requests in flight when all processes are killed are sent again. */
const concurrency = 8

type Change = { to: 'theirs' | 'ours'; by: 'SIGTERM' | 'SIGKILL' }
const changes: Change[] = [
  { to: 'ours', by: 'SIGTERM' },
  { to: 'theirs', by: 'SIGTERM' },
  { to: 'ours', by: 'SIGKILL' },
  { to: 'theirs', by: 'SIGKILL' },
  { to: 'ours', by: 'SIGTERM' },
]

const folder = await mkdtemp(join(tmpdir(), 'tidemark-versions-'))
try {
  const theirs = await checkedOut(values.from)
  const faults = await crawlThrough({ theirs, ours })
  for (const fault of faults) print(`not ok: ${fault}`)
  print(`${changes.length} changes of version, ${faults.length} failed`)
  process.exitCode = faults.length === 0 ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Returns a folder with the version of the commit, and its packages. */
async function checkedOut(commit: string): Promise<string> {
  const { stdout } = await run('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: ours }).catch(
    () => fail(`--from: this repository has no commit ${commit}`, 2),
  )
  const checkout = join(folder, 'theirs')
  print(`Installing the version of ${stdout.slice(0, 8)} …`)
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', ours, checkout])
  await run('git', ['checkout', '--quiet', '--detach', stdout.trim()], { cwd: checkout })
  await run(process.execPath, ['scripts/bootstrap.cjs'], { cwd: checkout, maxBuffer: 64 * 1024 ** 2 })
  return checkout
}

async function crawlThrough(checkouts: Record<Change['to'], string>): Promise<string[]> {
  await using site = await startSite(pages, { hosts: 1 })
  const data = await mkdtemp(join(folder, 'data-'))
  let system = await startSystem(env, data, [], checkouts.theirs)
  try {
    const key = await system.createProject('versions', '--tier', 'studio', '--unlimited')
    const request = { url: `${site.origins[0]}/`, max_pages: 100_000, depth: 50, delay_ms: 5, concurrency }
    const { body } = await system.call(key, 'POST', '/v1/crawls', request)
    for (const [nth, change] of changes.entries()) {
      const counted = await fetchedPages(system, key, body.id, (pages * (nth + 1)) / (changes.length + 1))
      print(`${counted} pages: ${change.by}, then the version of ${change.to}`)
      if (change.by === 'SIGKILL') await killAll(system)
      await system.stop()
      system = await startSystem(env, data, [], checkouts[change.to])
    }
    await fetchedPages(system, key, body.id, Number.POSITIVE_INFINITY)
    return await faultsOf(system, key, body.id, await site.requests())
  } finally {
    await system.stop()
  }
}

/** Waits until the crawl has this number of pages or has ended, and returns the number of its pages. */
async function fetchedPages(system: System, key: string, id: number, count: number): Promise<number> {
  for (const limit = Date.now() + patienceMs; Date.now() < limit; await sleep(200)) {
    const { body } = await system.call(key, 'GET', `/v1/crawls/${id}`)
    if (body.page_count >= count || !['queued', 'running'].includes(body.status)) return body.page_count
  }
  return fail(`the crawl did not reach ${count} pages in ${patienceMs / 1000} s`)
}

async function killAll(system: System): Promise<void> {
  const { processes } = await system.runFile()
  for (const { pid } of processes) process.kill(pid, 'SIGKILL')
}

async function faultsOf(system: System, key: string, id: number, requests: number): Promise<string[]> {
  const { body: crawl } = await system.call(key, 'GET', `/v1/crawls/${id}`)
  const { body: usage } = await system.call(key, 'GET', '/v1/usage')
  const verified = await system.admin('verify').then(
    () => null,
    (error: { stdout?: string }) => error.stdout ?? String(error),
  )
  // robots.txt, llms.txt and sitemaps beside the pages.
  const most = pages + 10 + concurrency * changes.length
  const expectations: [boolean, string][] = [
    [crawl.status === 'done', `the crawl is ${crawl.status}`],
    [crawl.page_count === pages, `the crawl has ${crawl.page_count} of ${pages} pages`],
    [usage.today.pages === pages, `${usage.today.pages} pages are billed instead of ${pages}`],
    [requests <= most, `the site received ${requests} requests, more than ${most}`],
    [verified === null, `verify: ${verified}`],
  ]
  return expectations.flatMap(([holds, fault]) => (holds ? [] : [fault]))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function fail(message: string, code = 1): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}
