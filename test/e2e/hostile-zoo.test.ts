/** Crawls every site of the zoo with two projects, while a third one reads the API. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { zoo } from '@tidemark/testing/zoo/zoo'
import { test } from 'tap'
import { openDistantZoo } from './hostile-zoo-keeper.ts'
import { crawlAll, describeStall, faultsOf } from './hostile-zoo-visit.ts'
import { readPatiently, type Stall, stallsSince, watchMemory } from './hostile-zoo-watch.ts'
import { replayed, unchanged } from './replay.ts'
import { startSystem } from './system.ts'

const maxMemory = 512
const maxStallMs = 250
const quietCalls = sized(150, 300)
/** Shorter response times count as unnoticeable, because the test shares its processors. */
const noticeableMs = 150

/** A stall is our fault if the process computed for that long. A far longer one always counts. */
const isOurs = ({ ms, cpu_ms }: Stall) => cpu_ms > maxStallMs || ms > 10 * maxStallMs

/** ZOO=part,of,names selects sites. */
const selected = (process.env.ZOO ?? '').split(',')
const sites = zoo.filter(({ name, group }) => selected.some(part => name.includes(part) || group === part))

test('The zoo', async t => {
  t.equal(new Set(zoo.map(({ name }) => name)).size, zoo.length, 'every site has a unique name')
  const open = await openDistantZoo()
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-zoo-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const authorities = join(dir, 'authorities.pem')
  await writeFile(authorities, open.certificates)
  const system = await startSystem({
    FETCH_TIMEOUT_MS: '3000',
    CONNECT_TIMEOUT_MS: '1500',
    NODE_EXTRA_CA_CERTS: authorities,
    EVENT_LOOP_STALL_MS: String(maxStallMs),
  })
  t.teardown(() => system.stop())

  const neighbour = await system.createProject('neighbour', '--unlimited')
  const own = await startOrigin({ pages: { '/': '<p>A quiet page.' } })
  t.teardown(() => own.close())
  const { id } = await system.crawl(neighbour, { url: `${own.url}/`, delay_ms: 0 })
  const quiet = await readPatiently(system, neighbour, id, calls => calls < quietCalls)
  const before = await system.runFile()

  const keys = [
    await system.createProject('zoo', '--unlimited'),
    await system.createProject('night-zoo', '--unlimited'),
  ]
  const memoryUntilNow = await watchMemory(system)
  let isOver = false
  const beside = readPatiently(system, neighbour, id, () => !isOver)
  const begun = new Date().toISOString()
  const visited = await crawlAll(system, keys, sites, open.seeds).finally(() => (isOver = true))
  const seconds = Math.round((Date.now() - Date.parse(begun)) / 1000)
  const [during, memory, after] = [await beside, await memoryUntilNow(), await system.runFile()]
  t.comment(`${visited.length} sites in ${seconds} s`, { quiet, during, memory })

  for (const one of visited) {
    const { site, run, ms } = one
    t.strictSame(faultsOf(one), [], `${site.name} (${run?.status}, ${run?.page_count} pages, ${ms} ms)`)
  }

  t.strictSame(after.processes, before.processes, 'no process has died')
  for (const [name, mebibytes] of Object.entries(memory))
    t.ok(mebibytes <= maxMemory, `${name} used at most ${mebibytes} MiB`)

  const stalls = await stallsSince(system, begun)
  t.comment(stalls.map(stall => describeStall(stall, visited)))
  t.strictSame(
    stalls.filter(isOurs).map(stall => describeStall(stall, visited)),
    [],
    `no process computed for more than ${maxStallMs} ms without a pause`,
  )

  t.equal(during.refused, 0, 'all calls of the neighbour succeeded')
  t.ok(
    during.p95 <= Math.max(1.5 * quiet.p95, noticeableMs),
    `the neighbour's p95 was ${during.p95} ms, before ${quiet.p95} ms`,
  )
  t.strictSame(await open.close(), { forbiddenHits: 0 }, 'no request reached the private address')

  const started = performance.now()
  let pages = 0
  for (const { site, run, key } of visited) {
    const replay = run === null ? unchanged(0) : await replayed(system, key, run.id).catch(String)
    t.strictSame(replay, unchanged(run?.page_count ?? 0), `${site.name} is read again without a difference`)
    pages += run?.page_count ?? 0
  }
  t.comment(`${pages} pages were read again in ${Math.round(performance.now() - started)} ms`)
})
